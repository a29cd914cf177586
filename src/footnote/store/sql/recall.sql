-- name: generation
SELECT generation FROM index_states WHERE workspace_id = %(workspace_id)s

-- name: state
SELECT generation, hnsw_lane, lexical_key
FROM index_states JOIN workspaces USING (workspace_id)
WHERE workspace_id = %(workspace_id)s

-- name: segments
SELECT segment_id, chunk_numbers, lengths, dead FROM segments
WHERE workspace_id = %(workspace_id)s
ORDER BY segment_id

-- name: languages
SELECT language FROM documents
WHERE workspace_id = %(workspace_id)s AND NOT isempty(chunks) AND language IS NOT NULL
GROUP BY language
ORDER BY count(*) DESC, language

-- name: postings
-- Equality on uuid and int is leakproof, so row-level security leaves the primary key usable.
SELECT term, chunk_numbers, frequencies FROM postings
WHERE workspace_id = %(workspace_id)s AND term = ANY (%(terms)s::integer[])
ORDER BY segment_id

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

-- name: passages
SELECT chunks.*, documents.title AS document_title, documents.filename, documents.collection,
    documents.source_type, documents.language, documents.parent_id,
    parents.title AS parent_title
FROM chunks
JOIN documents USING (workspace_id, document_id)
LEFT JOIN documents AS parents
    ON parents.workspace_id = %(workspace_id)s AND parents.document_id = documents.parent_id
WHERE chunks.workspace_id = %(workspace_id)s AND chunks.chunk_no = ANY (%(numbers)s::integer[])

-- name: neighbours
SELECT chunks.*, documents.title AS document_title, documents.filename, documents.collection,
    documents.source_type, documents.language, documents.parent_id,
    parents.title AS parent_title
FROM chunks
JOIN documents USING (workspace_id, document_id)
LEFT JOIN documents AS parents
    ON parents.workspace_id = %(workspace_id)s AND parents.document_id = documents.parent_id
WHERE chunks.workspace_id = %(workspace_id)s AND chunks.document_id = %(document_id)s
    AND chunks.version = %(version)s
    AND chunks.ordinal BETWEEN %(ordinal)s::integer - %(window)s::integer
        AND %(ordinal)s::integer + %(window)s::integer
ORDER BY chunks.ordinal
