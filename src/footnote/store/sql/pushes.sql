-- name: accept
INSERT INTO ingest_requests (
    workspace_id, ingest_id, principal, url, request, state, document_id, actor_groups, actor_role,
    actor_collections, actor_credential
) VALUES (
    %(workspace_id)s, %(ingest_id)s, %(principal)s, %(url)s, %(request)s, %(state)s,
    %(document_id)s, %(actor_groups)s, %(actor_role)s, %(actor_collections)s, %(actor_credential)s
)
ON CONFLICT (workspace_id, ingest_id) DO NOTHING
RETURNING ingest_id

-- name: status
SELECT * FROM ingest_requests WHERE workspace_id = %(workspace_id)s AND ingest_id = %(ingest_id)s

-- name: document_changed
-- Stages and progress are told of as well, but a status changes only where it differs from the one
-- before; null once all that was told of the document is forgotten.
SELECT max(created_at) AS changed_at FROM (
    SELECT created_at, status, lag(status) OVER (ORDER BY event_no) AS status_before FROM (
        SELECT
            created_at, event_no,
            CASE kind WHEN 'document.deleted' THEN 'deleted' ELSE body ->> 'status' END AS status
        FROM events
        WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    ) AS told
) AS changes
WHERE status IS DISTINCT FROM status_before

-- name: move
-- What rests stays as it is, however often its job is repeated; another try is no change.
UPDATE ingest_requests SET
    state = %(state)s, failure = %(failure)s, document_id = %(document_id)s,
    updated_at = CASE WHEN state = %(state)s THEN updated_at ELSE now() END
WHERE workspace_id = %(workspace_id)s AND ingest_id = %(ingest_id)s
    AND state IN ('queued', 'fetching')

-- name: superseded
-- Whether something else was announced of the document later, and taken in.
SELECT EXISTS (
    SELECT FROM ingest_requests AS newer
    JOIN ingest_requests AS own
        ON own.workspace_id = %(workspace_id)s AND own.ingest_id = %(ingest_id)s
    WHERE newer.workspace_id = %(workspace_id)s AND newer.document_id = %(document_id)s
        AND newer.state = 'received' AND newer.created_at > own.created_at
        AND newer.url IS DISTINCT FROM own.url
) AS superseded

-- name: workspace
SELECT workspace_id, name, created_at FROM workspaces WHERE workspace_id = %(workspace_id)s
