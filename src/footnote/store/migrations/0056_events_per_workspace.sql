-- migration: expand, replaces tell
-- An event waits for transactions that are telling of its own workspace, and no longer for every older
-- one of the server. Who tells takes a shared lock before it draws a number: of its workspace, with the
-- number that was drawn last. Who reads shows the numbers below all such locks (store/sql/events.sql).
-- Programs of before read on in the order of transactions. Nobody is telling meanwhile: what was told
-- without the lock is committed.

LOCK TABLE documents IN SHARE MODE;

CREATE OR REPLACE FUNCTION tell(about documents, what text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, footnote, pg_temp
AS $$
DECLARE
    number bigint;
    wanting uuid;
BEGIN
    -- Once in a transaction: each lock takes a place among few.
    IF current_setting('footnote.tells_of', true) IS DISTINCT FROM about.workspace_id::text THEN
        PERFORM pg_advisory_xact_lock_shared(
            hashtext(about.workspace_id::text),
            (coalesce(pg_sequence_last_value('footnote.event_numbers'), 0) & 2147483647)::integer
        );
        PERFORM set_config('footnote.tells_of', about.workspace_id::text, true);
    END IF;
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
