-- migration: expand
-- An address is told of documents that whoever had it told may see: an administrator sees no private
-- document of others, and so neither its name nor that there is one.
-- Safe before a deploy: processes of before go on to add endpoints, as administrators.

ALTER TABLE webhook_endpoints
    ADD COLUMN access text[] NOT NULL
        DEFAULT '{local,workspace:members,workspace:administrators}';
COMMENT ON COLUMN webhook_endpoints.access IS
    'Access names of whoever added it, as they were then.';

CREATE OR REPLACE FUNCTION tell(about documents, what text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, footnote, pg_temp
AS $$
DECLARE
    number bigint := nextval('footnote.event_numbers');
    wanting uuid;
BEGIN
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
    PERFORM pg_notify(
        'footnote_events', encode(sha256(convert_to(about.workspace_id::text, 'UTF8')), 'hex')
    );
    IF what NOT IN ('document.indexed', 'document.failed', 'document.deleted') THEN
        RETURN;
    END IF;
    FOR wanting IN
        SELECT endpoint_id FROM footnote.webhook_endpoints
        WHERE workspace_id = about.workspace_id AND disabled_at IS NULL AND what = ANY (kinds)
            AND (about.access IS NULL OR about.access && access)
    LOOP
        PERFORM footnote.procrastinate_defer_jobs_v1(ARRAY[
            ROW(
                'webhooks', 'deliver_webhook', 5, NULL, NULL,
                jsonb_build_object(
                    'workspace_id', about.workspace_id, 'endpoint_id', wanting,
                    'transaction_id', pg_current_xact_id()::text::bigint, 'event_no', number
                ),
                NULL
            )::footnote.procrastinate_job_to_defer_v1
        ]);
    END LOOP;
    -- Now and then is enough to keep the table short.
    IF number % 64 = 0 THEN
        DELETE FROM footnote.events WHERE workspace_id = about.workspace_id AND event_no IN (
            SELECT event_no FROM footnote.events AS old
            WHERE old.workspace_id = about.workspace_id
                AND old.created_at < now() - interval '7 days'
            FOR UPDATE SKIP LOCKED
        );
    END IF;
END;
$$;
