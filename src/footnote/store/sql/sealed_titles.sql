-- name: titles
-- Row-level security leaves out those the principal may not see.
SELECT document_id, title FROM documents WHERE workspace_id = %(workspace_id)s
