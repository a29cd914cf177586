-- name: documents
SELECT status, count(*) AS documents,
    coalesce(sum(CASE WHEN isempty(chunks) THEN 0 ELSE upper(chunks) - lower(chunks) END), 0)
        AS chunks
FROM documents WHERE workspace_id = %(workspace_id)s
GROUP BY status ORDER BY status

-- name: segments
SELECT count(*) AS segments FROM segments WHERE workspace_id = %(workspace_id)s
