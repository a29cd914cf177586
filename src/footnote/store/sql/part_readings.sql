-- name: readings
SELECT stage, payload FROM stage_results
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s AND starts_with(stage, %(prefix)s)

-- name: keep_reading
INSERT INTO stage_results (workspace_id, document_id, version, stage, payload)
SELECT workspace_id, document_id, %(version)s, %(stage)s, %(payload)s FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND published_version = %(version)s
ON CONFLICT (workspace_id, document_id, version, stage) DO UPDATE SET payload = excluded.payload

-- name: drop_readings
DELETE FROM stage_results
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s AND starts_with(stage, %(prefix)s)
    AND NOT stage = ANY (%(kept)s::text[])
