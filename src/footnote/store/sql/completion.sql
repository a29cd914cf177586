-- name: similarities
-- Only of chunks that a recall has just admitted, so that no visibility is left to check.
SELECT chunk_no, -(embedding <#> %(vector)s) AS similarity
FROM embeddings
WHERE workspace_id = %(workspace_id)s AND lane_id = %(lane_id)s
    AND chunk_no = ANY (%(numbers)s::integer[])
