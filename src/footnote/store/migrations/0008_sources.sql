-- migration: expand
-- Where documents came from, what happened to them, and who is told of it.
-- Safe before a deploy: it only adds.

-- What is remembered of each thing a source offered, so that what did not change is not read.
-- Two things with the same bytes are one document.
CREATE TABLE source_entries (
    workspace_id uuid NOT NULL,
    document_id uuid NOT NULL,
    external_id text COLLATE "C" NOT NULL,
    collection text NOT NULL,
    mark text NOT NULL,
    content_sha256 bytea NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, document_id, external_id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);
-- What lies below a folder is a range of it.
CREATE INDEX source_entries_place ON source_entries (workspace_id, collection, external_id);

COMMENT ON COLUMN source_entries.mark IS
    'Differs whenever the thing does: size and time of a file, ETag of an object, UID of a message.';

-- What a system pushed, from its acceptance until it is a document or has failed.
CREATE TABLE ingest_requests (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    ingest_id uuid NOT NULL,
    principal text NOT NULL,
    url text,
    request jsonb NOT NULL,
    state text NOT NULL CHECK (state IN ('queued', 'fetching', 'received', 'failed')),
    failure jsonb,
    document_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, ingest_id)
);

-- What happened to documents. A reader goes on after the last event it knows; it is shown none of
-- a transaction while an older one may still commit, so it misses nothing.
CREATE SEQUENCE event_numbers;
CREATE TABLE events (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    transaction_id bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
    event_no bigint NOT NULL DEFAULT nextval('event_numbers'),
    document_id uuid NOT NULL,
    kind text NOT NULL,
    body jsonb NOT NULL,
    access text[],
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, transaction_id, event_no)
);
CREATE INDEX events_document ON events (workspace_id, document_id, transaction_id, event_no);
CREATE INDEX events_age ON events (workspace_id, created_at);

CREATE TABLE webhook_endpoints (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    endpoint_id uuid NOT NULL,
    url text NOT NULL,
    kinds text[] NOT NULL,
    secret text NOT NULL,
    failures integer NOT NULL DEFAULT 0,
    last_error text,
    last_delivery_at timestamptz,
    disabled_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, endpoint_id)
);

COMMENT ON COLUMN webhook_endpoints.failures IS
    'Deliveries in a row that were given up; too many of them disable the endpoint.';

ALTER TABLE source_entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE ingest_requests ENABLE ROW LEVEL SECURITY;
ALTER TABLE events ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_endpoints ENABLE ROW LEVEL SECURITY;
ALTER TABLE source_entries FORCE ROW LEVEL SECURITY;
ALTER TABLE ingest_requests FORCE ROW LEVEL SECURITY;
ALTER TABLE events FORCE ROW LEVEL SECURITY;
ALTER TABLE webhook_endpoints FORCE ROW LEVEL SECURITY;

-- A path tells something of the document: who may not see the one does not see the other.
CREATE POLICY within_workspace ON source_entries
    USING (
        workspace_id = current_workspace()
        AND EXISTS (
            SELECT FROM documents
            WHERE documents.workspace_id = source_entries.workspace_id
                AND documents.document_id = source_entries.document_id
        )
    );
CREATE POLICY within_workspace ON ingest_requests
    USING (
        workspace_id = current_workspace()
        AND ('*' = ANY (current_access()) OR principal = ANY (current_access()))
    );
CREATE POLICY within_workspace ON events
    USING (
        workspace_id = current_workspace()
        AND (access IS NULL OR '*' = ANY (current_access()) OR access && current_access())
    )
    WITH CHECK (workspace_id = current_workspace());
CREATE POLICY within_workspace ON webhook_endpoints USING (workspace_id = current_workspace());

GRANT SELECT, INSERT, UPDATE, DELETE
    ON source_entries, ingest_requests, events, webhook_endpoints TO footnote_app;
GRANT USAGE ON SEQUENCE event_numbers TO footnote_app;

-- Writes the event, wakes up who listens, and has the endpoints told, all with the change itself.
CREATE FUNCTION tell(about documents, what text) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
    -- Beforehand, for who changes a document may be none of those who read of it, and RETURNING
    -- is reading.
    number bigint := nextval('event_numbers');
    wanting uuid;
BEGIN
    INSERT INTO events (workspace_id, event_no, document_id, kind, body, access) VALUES (
        about.workspace_id, number, about.document_id, what,
        jsonb_build_object(
            'document_id', about.document_id, 'parent_id', about.parent_id,
            'external_id', about.external_id, 'collection', about.collection,
            'filename', about.filename, 'version', about.version, 'status', about.status,
            'stage', about.stage, 'page_count', about.page_count, 'failure', about.failure
        ),
        about.access
    );
    PERFORM pg_notify('footnote_events', about.workspace_id || '/' || about.document_id);
    IF what NOT IN ('document.indexed', 'document.failed', 'document.deleted') THEN
        RETURN;
    END IF;
    FOR wanting IN
        SELECT endpoint_id FROM webhook_endpoints
        WHERE workspace_id = about.workspace_id AND disabled_at IS NULL AND what = ANY (kinds)
    LOOP
        PERFORM procrastinate_defer_jobs_v1(ARRAY[
            ROW(
                'webhooks', 'deliver_webhook', 0, NULL, NULL,
                jsonb_build_object(
                    'workspace_id', about.workspace_id, 'endpoint_id', wanting,
                    'transaction_id', pg_current_xact_id()::text::bigint, 'event_no', number
                ),
                NULL
            )::procrastinate_job_to_defer_v1
        ]);
    END LOOP;
    -- Now and then is enough to keep the table short.
    IF number % 64 = 0 THEN
        DELETE FROM events WHERE workspace_id = about.workspace_id AND event_no IN (
            SELECT event_no FROM events AS old
            WHERE old.workspace_id = about.workspace_id
                AND old.created_at < now() - interval '7 days'
            FOR UPDATE SKIP LOCKED
        );
    END IF;
END;
$$;

CREATE FUNCTION tell_of_documents() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        -- With a whole workspace goes who might be told.
        IF EXISTS (SELECT FROM workspaces WHERE workspace_id = OLD.workspace_id) THEN
            PERFORM tell(OLD, 'document.deleted');
        END IF;
        RETURN NULL;
    END IF;
    PERFORM tell(NEW, CASE NEW.status
        WHEN 'queued' THEN 'document.queued'
        WHEN 'ingesting' THEN 'document.stage'
        WHEN 'indexed' THEN 'document.indexed'
        ELSE 'document.failed'
    END);
    RETURN NULL;
END;
$$;

CREATE TRIGGER tell_of_arrivals AFTER INSERT OR DELETE ON documents
    FOR EACH ROW EXECUTE FUNCTION tell_of_documents();
CREATE TRIGGER tell_of_changes AFTER UPDATE ON documents
    FOR EACH ROW
    WHEN ((OLD.status, OLD.stage, OLD.version) IS DISTINCT FROM (NEW.status, NEW.stage, NEW.version))
    EXECUTE FUNCTION tell_of_documents();
