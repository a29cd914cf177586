-- name: look
SELECT documents.*, given.blob_key
FROM documents JOIN document_versions AS given USING (workspace_id, document_id, version)
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s

-- name: announce
UPDATE index_states SET generation = generation + 1 WHERE workspace_id = %(workspace_id)s

-- name: requeue
-- Of two that ask at once, one finds it queued.
UPDATE documents SET
    status = 'queued', stage = 'receive', failure = NULL, updated_at = now(),
    media_type = COALESCE(%(media_type)s, media_type)
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s AND status = 'failed'
RETURNING *
