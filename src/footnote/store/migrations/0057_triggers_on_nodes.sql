-- migration: expand, replaces refuse_under_legal_hold, remove_from_answers, tell_of_documents, documents.tell_of_progress, list_credential, list_login, create_workspace, create_encrypted_workspace, upkeep_after_upgrade
-- Triggers do on the node of a cluster what they can do there. Each statement in them names the workspace
-- by a value, none is handed a row as a whole, and what is the coordinator's (directories, the queue,
-- notifications) they leave to the application when they run on a shard. On one server they do what
-- they did; programs of before notice nothing.

-- A shard of a table is called as the table, with its number. No table of ours ends so.
CREATE FUNCTION is_shard(relation name) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN relation ~ '_[0-9]+$';

-- As under_legal_hold, of a workspace that is named.
CREATE FUNCTION document_under_hold(here uuid, wanted uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    access text := COALESCE(current_setting('footnote.access', true), '');
    held boolean;
BEGIN
    PERFORM set_config('footnote.access', '{*}', true);
    held := EXISTS (
        SELECT FROM footnote.legal_holds WHERE workspace_id = here AND lifted_at IS NULL
    ) AND EXISTS (
        WITH RECURSIVE above AS (
            SELECT document_id, parent_id FROM footnote.documents
            WHERE workspace_id = here AND document_id = wanted
            UNION
            SELECT parent.document_id, parent.parent_id FROM footnote.documents AS parent
            JOIN above ON parent.document_id = above.parent_id
            WHERE parent.workspace_id = here
        ),
        below AS (
            SELECT wanted AS document_id
            UNION
            SELECT child.document_id FROM footnote.documents AS child
            JOIN below ON child.parent_id = below.document_id
            WHERE child.workspace_id = here
        ),
        family AS (
            SELECT document_id FROM above UNION SELECT document_id FROM below
        )
        SELECT FROM footnote.legal_holds AS hold
        WHERE hold.workspace_id = here AND hold.lifted_at IS NULL AND (
            hold.document_id IN (SELECT document_id FROM family)
            OR EXISTS (
                SELECT FROM footnote.documents JOIN family USING (document_id)
                WHERE documents.workspace_id = here AND (
                    documents.collection = hold.collection
                    OR documents.created_by = hold.custodian
                )
            )
            OR EXISTS (
                SELECT FROM footnote.message_sources JOIN below USING (document_id)
                WHERE message_sources.workspace_id = here
                    AND message_sources.principal = hold.custodian
            )
        )
    );
    PERFORM set_config('footnote.access', access, true);
    RETURN held;
END;
$$;
REVOKE EXECUTE ON FUNCTION document_under_hold FROM PUBLIC;

CREATE OR REPLACE FUNCTION refuse_under_legal_hold() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    access text := COALESCE(current_setting('footnote.access', true), '');
    held boolean;
BEGIN
    PERFORM set_config('footnote.access', '{*}', true);
    PERFORM pg_advisory_xact_lock_shared(
        hashtextextended('footnote hold ' || OLD.workspace_id::text, 0)
    );
    IF TG_ARGV[0] = 'document' THEN
        held := footnote.document_under_hold(OLD.workspace_id, OLD.document_id);
    ELSIF TG_ARGV[0] = 'custodian' THEN
        held := EXISTS (
            SELECT FROM footnote.legal_holds
            WHERE workspace_id = OLD.workspace_id AND lifted_at IS NULL
                AND custodian = OLD.principal
        );
    ELSIF TG_ARGV[0] = 'query' THEN
        held := EXISTS (
            SELECT FROM footnote.audit_log
            JOIN footnote.legal_holds ON legal_holds.workspace_id = OLD.workspace_id
                AND custodian = audit_log.principal
            WHERE audit_log.workspace_id = OLD.workspace_id AND entry_no = OLD.entry_no
                AND lifted_at IS NULL
        );
    ELSE
        held := EXISTS (
            SELECT FROM footnote.legal_holds
            WHERE workspace_id = OLD.workspace_id AND lifted_at IS NULL
        );
    END IF;
    IF held THEN
        RAISE EXCEPTION 'a row of % is under legal hold', TG_TABLE_NAME USING ERRCODE = '23H01';
    END IF;
    PERFORM set_config('footnote.access', access, true);
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END;
$$;

CREATE OR REPLACE FUNCTION remove_from_answers() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    access text := COALESCE(current_setting('footnote.access', true), '');
BEGIN
    PERFORM set_config('footnote.access', '{*}', true);
    UPDATE footnote.messages
    SET answer = footnote.without_document(answer, OLD.document_id::text)
    WHERE workspace_id = OLD.workspace_id AND NOT answer ? 'sealed'
        AND (principal, conversation_id, message_no) IN (
            SELECT principal, conversation_id, message_no FROM footnote.message_sources
            WHERE workspace_id = OLD.workspace_id AND document_id = OLD.document_id
        );
    PERFORM set_config('footnote.access', access, true);
    RETURN OLD;
END;
$$;

-- Wakes who follows the events of a workspace, and has its endpoints told of one. Only whoever listens
-- to the coordinator hears it, and the queue is there too. What is notified names neither a workspace
-- nor a document, for every login may listen.
CREATE FUNCTION announce_event(
    here uuid, transaction_id bigint, event_no bigint, what text, readers text[]
) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, footnote, pg_temp
AS $$
DECLARE
    wanting uuid;
BEGIN
    PERFORM pg_notify(
        'footnote_events', encode(sha256(convert_to(here::text, 'UTF8')), 'hex')
    );
    IF what NOT IN ('document.indexed', 'document.failed', 'document.deleted') THEN
        RETURN;
    END IF;
    FOR wanting IN
        SELECT endpoint_id FROM footnote.webhook_endpoints
        WHERE workspace_id = here AND disabled_at IS NULL AND what = ANY (kinds)
            AND (readers IS NULL OR readers && access)
    LOOP
        PERFORM footnote.procrastinate_defer_jobs_v1(ARRAY[
            ROW(
                'webhooks', 'deliver_webhook', 5, NULL, NULL,
                jsonb_build_object(
                    'workspace_id', here, 'endpoint_id', wanting,
                    'transaction_id', transaction_id, 'event_no', event_no
                ),
                NULL
            )::footnote.procrastinate_job_to_defer_v1
        ]);
    END LOOP;
END;
$$;

-- Who tells of an event first takes a lock with the number that was drawn last, so its own is above
-- that; who takes one after this has looked gets a number above the newest. The newest is read first,
-- the locks after it, and the events in a statement after this one.
CREATE FUNCTION complete_events(here uuid) RETURNS bigint
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN (
        SELECT least(newest, (
            SELECT min(newest - above) FROM pg_locks
            CROSS JOIN LATERAL (SELECT (newest - objid::bigint) & 2147483647) AS since (above)
            WHERE locktype = 'advisory' AND objsubid = 2
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                AND classid::bigint = hashtext(here::text)::bigint & 4294967295
                -- Not those that came after the newest was read.
                AND above < 1073741824
        ))
        FROM (
            SELECT coalesce(pg_sequence_last_value('footnote.event_numbers'), 0) AS newest OFFSET 0
        ) AS drawn
    );
END;
$$;

CREATE OR REPLACE FUNCTION tell_of_documents() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, footnote, pg_temp
AS $$
DECLARE
    number bigint;
    what text;
    about record;
BEGIN
    IF TG_OP = 'DELETE' THEN
        -- With a whole workspace goes who might be told.
        IF NOT EXISTS (
            SELECT FROM footnote.workspaces WHERE workspace_id = OLD.workspace_id
        ) THEN
            RETURN NULL;
        END IF;
        about := OLD;
        what := 'document.deleted';
    ELSE
        about := NEW;
        what := CASE
            WHEN TG_NARGS > 0 THEN TG_ARGV[0]
            WHEN NEW.status = 'queued' THEN 'document.queued'
            WHEN NEW.status = 'ingesting' THEN 'document.stage'
            WHEN NEW.status = 'indexed' THEN 'document.indexed'
            ELSE 'document.failed'
        END;
    END IF;
    -- Once in a transaction: each lock takes a place among few.
    IF current_setting('footnote.tells_of', true) IS DISTINCT FROM about.workspace_id::text THEN
        PERFORM pg_advisory_xact_lock_shared(
            hashtext(about.workspace_id::text),
            (coalesce(pg_sequence_last_value('footnote.event_numbers'), 0) & 2147483647)::integer
        );
        PERFORM set_config('footnote.tells_of', about.workspace_id::text, true);
    END IF;
    -- Beforehand, for who changes a document may be none of those who read of it, and RETURNING
    -- is reading.
    number := nextval('footnote.event_numbers');
    INSERT INTO footnote.events (workspace_id, event_no, document_id, kind, body, access) VALUES (
        about.workspace_id, number, about.document_id, what,
        jsonb_build_object(
            'document_id', about.document_id, 'parent_id', about.parent_id,
            'external_id', about.external_id, 'collection', about.collection,
            'filename', about.filename, 'version', about.version, 'status', about.status,
            'stage', about.stage, 'page_count', about.page_count, 'failure', about.failure,
            'progress', CASE WHEN what = 'document.progress' THEN jsonb_build_object(
                'done', about.progress_done, 'total', about.progress_total
            ) END
        ),
        about.access
    );
    IF NOT footnote.is_shard(TG_TABLE_NAME) THEN
        PERFORM footnote.announce_event(
            about.workspace_id, pg_current_xact_id()::text::bigint, number, what, about.access
        );
    END IF;
    -- Now and then is enough to keep the table short.
    IF number % 64 = 0 THEN
        DELETE FROM footnote.events WHERE workspace_id = about.workspace_id AND event_no IN (
            SELECT aged.event_no FROM footnote.events AS aged
            WHERE aged.workspace_id = about.workspace_id
                AND aged.created_at < now() - interval '7 days'
            FOR UPDATE SKIP LOCKED
        );
    END IF;
    RETURN NULL;
END;
$$;
CREATE OR REPLACE TRIGGER tell_of_progress AFTER UPDATE OF progress_done ON documents
    FOR EACH ROW
    WHEN (NEW.progress_done IS NOT NULL AND NEW.progress_done IS DISTINCT FROM OLD.progress_done)
    EXECUTE FUNCTION tell_of_documents('document.progress');

-- Where an id is listed the first time it stays: a row of another workspace with it is refused.
CREATE FUNCTION enter_credential(given_kind text, given_id text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    INSERT INTO footnote.credential_directory (kind, credential_id, workspace_id)
    VALUES (given_kind, given_id, footnote.current_workspace());
END;
$$;

CREATE FUNCTION enter_login(
    given_issuer text, given_subject text, given_session text, given_id text
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    INSERT INTO footnote.login_directory
        (issuer, subject, provider_session, credential_id, workspace_id)
    VALUES (
        given_issuer, given_subject, given_session, given_id, footnote.current_workspace()
    );
END;
$$;

-- Of the workspace that the transaction names, and of no other.
CREATE FUNCTION leave_directories(given_kind text, given_ids text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    DELETE FROM footnote.credential_directory
    WHERE kind = given_kind AND credential_id = ANY (given_ids)
        AND workspace_id = footnote.current_workspace();
    IF given_kind = 'session' THEN
        DELETE FROM footnote.login_directory
        WHERE credential_id = ANY (given_ids) AND workspace_id = footnote.current_workspace();
    END IF;
END;
$$;
REVOKE EXECUTE ON FUNCTION enter_credential, enter_login, leave_directories FROM PUBLIC;
GRANT EXECUTE ON FUNCTION enter_credential, enter_login, leave_directories TO footnote_app;

CREATE OR REPLACE FUNCTION list_credential() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF footnote.is_shard(TG_TABLE_NAME) THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'DELETE' THEN
        DELETE FROM footnote.credential_directory
        WHERE kind = TG_ARGV[0] AND credential_id = OLD.credential_id
            AND workspace_id = OLD.workspace_id;
        RETURN OLD;
    END IF;
    INSERT INTO footnote.credential_directory (kind, credential_id, workspace_id)
    VALUES (TG_ARGV[0], NEW.credential_id, NEW.workspace_id);
    RETURN NEW;
END;
$$;

CREATE OR REPLACE FUNCTION list_login() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF footnote.is_shard(TG_TABLE_NAME) THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'DELETE' THEN
        DELETE FROM footnote.login_directory
        WHERE workspace_id = OLD.workspace_id AND credential_id = OLD.credential_id;
        RETURN OLD;
    END IF;
    INSERT INTO footnote.login_directory
        (issuer, subject, provider_session, credential_id, workspace_id)
    VALUES (NEW.issuer, NEW.subject, NEW.provider_session, NEW.credential_id, NEW.workspace_id);
    RETURN NEW;
END;
$$;

-- SET LOCAL reaches the nodes of a cluster where citus.propagate_set_commands says so, set_config does not.
CREATE FUNCTION set_local(setting text, value text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    EXECUTE format('SET LOCAL %s = %L', setting, value);
END;
$$;

CREATE OR REPLACE FUNCTION create_workspace(wanted text, fresh_id uuid, fresh_key bytea)
RETURNS TABLE (workspace_id uuid, name text, created_at timestamptz)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    outer_workspace text := COALESCE(current_setting('footnote.workspace_id', true), '');
BEGIN
    INSERT INTO footnote.workspace_directory (name, workspace_id) VALUES (wanted, fresh_id)
        ON CONFLICT ON CONSTRAINT workspace_directory_pkey DO NOTHING;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM footnote.set_local('footnote.workspace_id', fresh_id::text);
    INSERT INTO footnote.workspaces (workspace_id, name, lexical_key)
        VALUES (fresh_id, wanted, fresh_key);
    INSERT INTO footnote.index_states (workspace_id) VALUES (fresh_id);
    PERFORM footnote.set_local('footnote.workspace_id', outer_workspace);
    RETURN QUERY SELECT d.workspace_id, d.name, d.created_at
        FROM footnote.workspace_directory d WHERE d.workspace_id = fresh_id;
END;
$$;

CREATE OR REPLACE FUNCTION create_encrypted_workspace(
    wanted text, fresh_id uuid, sealed_key bytea, wrapped_key bytea, master text
)
RETURNS TABLE (workspace_id uuid, name text, created_at timestamptz)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    outer_workspace text := COALESCE(current_setting('footnote.workspace_id', true), '');
BEGIN
    INSERT INTO footnote.workspace_directory (name, workspace_id) VALUES (wanted, fresh_id)
        ON CONFLICT ON CONSTRAINT workspace_directory_pkey DO NOTHING;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM footnote.set_local('footnote.workspace_id', fresh_id::text);
    INSERT INTO footnote.workspaces (workspace_id, name, lexical_key, encryption)
        VALUES (fresh_id, wanted, sealed_key, 'on');
    INSERT INTO footnote.index_states (workspace_id) VALUES (fresh_id);
    INSERT INTO footnote.data_keys (workspace_id, version, wrapped, master_key, state)
        VALUES (fresh_id, 1, wrapped_key, master, 'current');
    PERFORM footnote.set_local('footnote.workspace_id', outer_workspace);
    RETURN QUERY SELECT d.workspace_id, d.name, d.created_at
        FROM footnote.workspace_directory d WHERE d.workspace_id = fresh_id;
END;
$$;

CREATE OR REPLACE FUNCTION upkeep_after_upgrade(newest smallint)
RETURNS TABLE (
    workspace_id uuid, older_segments bigint, lanes_filling bigint,
    name text, provider text, model text, dimensions integer, revision text
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    outer_workspace text := COALESCE(current_setting('footnote.workspace_id', true), '');
    each uuid;
BEGIN
    FOR each IN SELECT d.workspace_id FROM footnote.workspace_directory d ORDER BY d.workspace_id
    LOOP
        PERFORM footnote.set_local('footnote.workspace_id', each::text);
        RETURN QUERY
            SELECT each,
                (SELECT count(*) FROM footnote.segments s
                 WHERE s.workspace_id = each AND s.format < newest),
                (SELECT count(*) FROM footnote.lanes l
                 WHERE l.workspace_id = each AND l.state = 'building'),
                l.name, l.provider, l.model, l.dimensions, l.revision
            FROM (VALUES (true)) AS one
            LEFT JOIN footnote.lanes l ON l.workspace_id = each AND l.state = 'active'
                AND l.name = 'document';
    END LOOP;
    PERFORM footnote.set_local('footnote.workspace_id', outer_workspace);
END;
$$;
