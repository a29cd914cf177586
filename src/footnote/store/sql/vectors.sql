-- name: vectors
-- Embeddings know no access list; their documents do.
SELECT embeddings.chunk_no, embeddings.embedding
FROM embeddings
JOIN chunks ON chunks.workspace_id = %(workspace_id)s AND chunks.chunk_no = embeddings.chunk_no
JOIN documents ON documents.workspace_id = %(workspace_id)s
    AND documents.document_id = chunks.document_id
WHERE embeddings.workspace_id = %(workspace_id)s AND embeddings.lane_id = %(lane_id)s
    AND embeddings.chunk_no = ANY (%(numbers)s::integer[])
