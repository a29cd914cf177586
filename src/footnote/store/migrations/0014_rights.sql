-- migration: expand
-- What acts with rights its caller lacks means the same whatever the caller puts in its way.
-- Safe before a deploy: the functions keep their names and results. It builds one index anew, for
-- which writers wait. Until they end, processes of before notice events only when they look, every
-- few seconds, search among kinds of chunk more slowly, and may route fewer documents.

-- Postgres searches a session's temporary tables first unless the search path names pg_temp. With
-- nothing of ours in the path a name that is not qualified fails rather than finds something else.
ALTER FUNCTION find_workspace(text) SET search_path = pg_catalog, pg_temp;

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
    PERFORM set_config('footnote.workspace_id', fresh_id::text, true);
    INSERT INTO footnote.workspaces (workspace_id, name, lexical_key)
        VALUES (fresh_id, wanted, fresh_key);
    INSERT INTO footnote.index_states (workspace_id) VALUES (fresh_id);
    PERFORM set_config('footnote.workspace_id', outer_workspace, true);
    RETURN QUERY SELECT d.workspace_id, d.name, d.created_at
        FROM footnote.workspace_directory d WHERE d.workspace_id = fresh_id;
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
    WHERE (workspace_id, principal, conversation_id, message_no) IN (
        SELECT workspace_id, principal, conversation_id, message_no FROM footnote.message_sources
        WHERE workspace_id = OLD.workspace_id AND document_id = OLD.document_id
    );
    PERFORM set_config('footnote.access', access, true);
    RETURN OLD;
END;
$$;

-- The triggers of rows that a foreign key deletes or empties run as the owner of the tables, so
-- these and the queue's are no better than the functions above. Whatever has its names looked up
-- when it runs gets a path of its own (store/sql/rights.sql).

-- Every login of the database may listen, so what is notified names neither a workspace nor a
-- document: who waits for a workspace knows the digest of its id.
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

-- The list of who may see a document binds what hangs on the document as well, so that a statement
-- that asks for chunks alone shows nothing of it. The names are read once a statement; the system,
-- which is in all of them, looks no document up. Vectors in `embeddings` are left out: comparing
-- all of a workspace's would take five to nine times as long (docs/decisions/0003).
ALTER POLICY within_workspace ON document_versions
    USING (
        workspace_id = current_workspace()
        AND (
            '*' = ANY ((SELECT current_access())::text[])
            OR EXISTS (
                SELECT FROM documents
                WHERE documents.workspace_id = document_versions.workspace_id
                    AND documents.document_id = document_versions.document_id
            )
        )
    )
    WITH CHECK (workspace_id = current_workspace());
ALTER POLICY within_workspace ON stage_results
    USING (
        workspace_id = current_workspace()
        AND (
            '*' = ANY ((SELECT current_access())::text[])
            OR EXISTS (
                SELECT FROM documents
                WHERE documents.workspace_id = stage_results.workspace_id
                    AND documents.document_id = stage_results.document_id
            )
        )
    )
    WITH CHECK (workspace_id = current_workspace());
ALTER POLICY within_workspace ON chunks
    USING (
        workspace_id = current_workspace()
        AND (
            '*' = ANY ((SELECT current_access())::text[])
            OR EXISTS (
                SELECT FROM documents
                WHERE documents.workspace_id = chunks.workspace_id
                    AND documents.document_id = chunks.document_id
            )
        )
    )
    WITH CHECK (workspace_id = current_workspace());
ALTER POLICY within_workspace ON document_embeddings
    USING (
        workspace_id = current_workspace()
        AND (
            '*' = ANY ((SELECT current_access())::text[])
            OR EXISTS (
                SELECT FROM documents
                WHERE documents.workspace_id = document_embeddings.workspace_id
                    AND documents.document_id = document_embeddings.document_id
            )
        )
    )
    WITH CHECK (workspace_id = current_workspace());
ALTER POLICY within_workspace ON idempotency_keys
    USING (
        workspace_id = current_workspace()
        AND ('*' = ANY (current_access()) OR principal = ANY (current_access()))
    );

-- With what the policy asks for, so that a search among kinds still never touches the texts.
DROP INDEX chunks_of_kind;
CREATE INDEX chunks_of_kind ON chunks (workspace_id, kind, chunk_no) INCLUDE (document_id);
