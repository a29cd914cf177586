-- name: sizes
SELECT segment_id, chunk_count, dead FROM segments
WHERE workspace_id = %(workspace_id)s
ORDER BY segment_id

-- name: any_dead
SELECT segment_id FROM segments
WHERE workspace_id = %(workspace_id)s AND NOT isempty(dead)
ORDER BY segment_id
LIMIT 1

-- name: reserve_segment
UPDATE index_states SET next_segment = next_segment + 1
WHERE workspace_id = %(workspace_id)s
RETURNING next_segment - 1 AS segment_id

-- name: sources
SELECT segment_id, chunk_count, chunk_numbers, lengths, dead FROM segments
WHERE workspace_id = %(workspace_id)s AND segment_id = ANY (%(segments)s::integer[])
ORDER BY segment_id

-- name: of_older_format
SELECT segment_id FROM segments
WHERE workspace_id = %(workspace_id)s AND format < %(format)s
ORDER BY segment_id
LIMIT 1

-- name: formats
SELECT count(*) AS segments, count(*) FILTER (WHERE format >= %(format)s) AS current
FROM segments WHERE workspace_id = %(workspace_id)s

-- name: postings_slice
-- Blocks that may hold terms of the slice, whatever else they hold.
SELECT segment_id, block, lists, NULL::bytea AS frequencies FROM posting_blocks
WHERE workspace_id = %(workspace_id)s AND segment_id = ANY (%(segments)s::integer[])
    AND EXISTS (
        SELECT FROM unnest(%(firsts)s::integer[], %(lasts)s::integer[]) AS span (first, last)
        WHERE block BETWEEN span.first AND span.last
    )
UNION ALL
SELECT segment_id, term, chunk_numbers, frequencies FROM postings
WHERE workspace_id = %(workspace_id)s AND segment_id = ANY (%(segments)s::integer[])
    AND term BETWEEN %(low)s AND %(last)s
ORDER BY segment_id

-- name: new_generation
UPDATE index_states SET generation = generation + 1 WHERE workspace_id = %(workspace_id)s

-- name: insert_merged
INSERT INTO segments
    (workspace_id, segment_id, chunk_count, chunk_numbers, lengths, dead, format)
VALUES (
    %(workspace_id)s, %(segment_id)s, %(chunk_count)s, %(chunk_numbers)s, %(lengths)s, %(dead)s,
    %(format)s
)

-- name: move_documents
UPDATE documents SET segment_id = %(segment_id)s
WHERE workspace_id = %(workspace_id)s AND segment_id = ANY (%(segments)s::integer[])

-- name: delete_postings
WITH lists AS (
    DELETE FROM postings
    WHERE workspace_id = %(workspace_id)s AND segment_id = ANY (%(segments)s::integer[])
)
DELETE FROM posting_blocks
WHERE workspace_id = %(workspace_id)s AND segment_id = ANY (%(segments)s::integer[])

-- name: delete_segments
DELETE FROM segments
WHERE workspace_id = %(workspace_id)s AND segment_id = ANY (%(segments)s::integer[])

-- name: forget_staged
-- Vectors of documents that failed or were deleted before they were published.
DELETE FROM staged_embeddings
WHERE workspace_id = %(workspace_id)s AND staged_at < now() - interval '7 days'

-- name: insert_blocks
-- All blocks come one behind the other, as bytes and where each begins.
INSERT INTO posting_blocks (workspace_id, block, segment_id, lists)
SELECT %(workspace_id)s, given.block, %(segment_id)s,
    substring(%(bytes)s::bytea FROM given.start + 1 FOR given.size)
FROM unnest(%(blocks)s::integer[], %(starts)s::integer[], %(sizes)s::integer[])
    AS given (block, start, size)
