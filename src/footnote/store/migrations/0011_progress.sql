-- migration: expand
-- How far a long stage has come, for whoever waits.
-- Safe before a deploy: it only adds; workers of before note no progress.

ALTER TABLE documents ADD COLUMN progress_done integer;
ALTER TABLE documents ADD COLUMN progress_total integer;

COMMENT ON COLUMN documents.progress_done IS
    'Parts of the stage that are done: pages where it parses, texts where it embeds.';

-- As before, with what is known of its progress; and who wants to be told of a document is told
-- before the next thousand documents are indexed.
CREATE OR REPLACE FUNCTION tell(about documents, what text) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
DECLARE
    number bigint := nextval('event_numbers');
    wanting uuid;
BEGIN
    INSERT INTO events (workspace_id, event_no, document_id, kind, body, access) VALUES (
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
                'webhooks', 'deliver_webhook', 5, NULL, NULL,
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

CREATE FUNCTION tell_of_progress() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    PERFORM tell(NEW, 'document.progress');
    RETURN NULL;
END;
$$;

CREATE TRIGGER tell_of_progress AFTER UPDATE OF progress_done ON documents
    FOR EACH ROW
    WHEN (NEW.progress_done IS NOT NULL AND NEW.progress_done IS DISTINCT FROM OLD.progress_done)
    EXECUTE FUNCTION tell_of_progress();
