-- name: generation
SELECT generation, configuration FROM index_states WHERE workspace_id = %(workspace_id)s

-- name: state
SELECT generation, hnsw_lane, lexical_key
FROM index_states JOIN workspaces USING (workspace_id)
WHERE workspace_id = %(workspace_id)s

-- name: segments
SELECT segment_id, chunk_numbers, lengths, dead, format FROM segments
WHERE workspace_id = %(workspace_id)s
ORDER BY segment_id

-- name: languages
SELECT language FROM documents
WHERE workspace_id = %(workspace_id)s AND NOT isempty(chunks) AND language IS NOT NULL
GROUP BY language
ORDER BY count(*) DESC, language

-- name: visible
-- Start and stop of each range, int32, big-endian: a text of thousands would be slow to read.
SELECT string_agg(int4send(lower(piece)) || int4send(upper(piece)), ''::bytea) AS bounds
FROM (SELECT range_agg(documents.chunks) AS chunks FROM documents WHERE {documents}) AS visible
CROSS JOIN LATERAL unnest(visible.chunks) AS piece

-- name: in_languages
-- As `visible`; row-level security leaves out the documents the principal may not see.
SELECT string_agg(int4send(lower(piece)) || int4send(upper(piece)), ''::bytea) AS bounds
FROM (
    SELECT range_agg(documents.chunks) AS chunks FROM documents
    WHERE workspace_id = %(workspace_id)s AND language = ANY (%(languages)s::text[])
        AND NOT isempty(chunks)
) AS spoken
CROSS JOIN LATERAL unnest(spoken.chunks) AS piece

-- name: of_kinds
-- One walk over chunks_by_kind for each kind and each range of visible chunks; the aggregate
-- within keeps the planner from comparing every chunk with every range. int32 each, big-endian.
SELECT string_agg(of_kind.numbers, ''::bytea) AS numbers
FROM unnest(%(visible)s::int4multirange) AS allowed
CROSS JOIN unnest(%(kinds)s::text[]) AS wanted (kind)
CROSS JOIN LATERAL (
    SELECT string_agg(int4send(chunk_no), ''::bytea) AS numbers FROM chunks
    WHERE chunks.workspace_id = %(workspace_id)s AND chunks.kind = wanted.kind
        AND chunks.chunk_no >= lower(allowed) AND chunks.chunk_no < upper(allowed)
) AS of_kind
