-- name: accept
INSERT INTO ingest_requests
    (workspace_id, ingest_id, principal, url, request, state, document_id)
VALUES (
    %(workspace_id)s, %(ingest_id)s, %(principal)s, %(url)s, %(request)s, %(state)s,
    %(document_id)s
)

-- name: status
SELECT * FROM ingest_requests WHERE workspace_id = %(workspace_id)s AND ingest_id = %(ingest_id)s

-- name: move
-- What rests stays as it is, however often its job is repeated.
UPDATE ingest_requests SET
    state = %(state)s, failure = %(failure)s, document_id = %(document_id)s, updated_at = now()
WHERE workspace_id = %(workspace_id)s AND ingest_id = %(ingest_id)s
    AND state IN ('queued', 'fetching')

-- name: workspace
SELECT workspace_id, name, created_at FROM workspaces WHERE workspace_id = %(workspace_id)s
