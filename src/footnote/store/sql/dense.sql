-- name: nearest_exactly
-- One walk over the primary key for each range of visible chunks. OFFSET 0 keeps the planner from
-- turning the join round, which compares every chunk with every range: seconds for a thousand.
-- Ordering by the bare column keeps every HNSW index, which is on a cast of it, out of the plan.
SELECT chunk_no, -(embedding <#> %(vector)s) AS similarity
FROM unnest(%(visible)s::int4multirange) AS allowed
CROSS JOIN LATERAL (
    SELECT chunk_no, embedding FROM embeddings
    WHERE workspace_id = %(workspace_id)s AND lane_id = %(lane_id)s
        AND chunk_no >= lower(allowed) AND chunk_no < upper(allowed)
    OFFSET 0
) AS visible
ORDER BY embedding <#> %(vector)s
LIMIT %(limit)s

-- name: hnsw_breadth
-- An iterative scan goes on until the filter has let enough through.
SELECT set_config('hnsw.ef_search', %(ef_search)s, true),
    set_config('hnsw.iterative_scan', 'strict_order', true)

-- name: nearest_by_hnsw
SELECT chunk_no, -(embedding::{type} <#> %(vector)s::{type}) AS similarity
FROM embeddings
WHERE workspace_id = {workspace_id} AND lane_id = {lane_id}
    AND chunk_no <@ %(visible)s::int4multirange
ORDER BY embedding::{type} <#> %(vector)s::{type}
LIMIT %(limit)s

-- name: similarities
-- Only of chunks that a recall has just admitted, so that no visibility is left to check.
SELECT chunk_no, -(embedding <#> %(vector)s) AS similarity
FROM embeddings
WHERE workspace_id = %(workspace_id)s AND lane_id = %(lane_id)s
    AND chunk_no = ANY (%(numbers)s::integer[])

-- name: vectors
-- Embeddings know no access list; their documents do.
SELECT embeddings.chunk_no, embeddings.embedding
FROM embeddings
JOIN chunks ON chunks.workspace_id = %(workspace_id)s AND chunks.chunk_no = embeddings.chunk_no
JOIN documents ON documents.workspace_id = %(workspace_id)s
    AND documents.document_id = chunks.document_id
WHERE embeddings.workspace_id = %(workspace_id)s AND embeddings.lane_id = %(lane_id)s
    AND embeddings.chunk_no = ANY (%(numbers)s::integer[])
