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

-- name: postings_slice
-- The end of the term space is one more than an integer holds.
SELECT term, chunk_numbers, frequencies FROM postings
WHERE workspace_id = %(workspace_id)s AND segment_id = ANY (%(segments)s::integer[])
    AND term >= %(low)s::bigint AND term < %(high)s::bigint
ORDER BY term, segment_id

-- name: new_generation
UPDATE index_states SET generation = generation + 1 WHERE workspace_id = %(workspace_id)s

-- name: insert_merged
INSERT INTO segments (workspace_id, segment_id, chunk_count, chunk_numbers, lengths, dead)
VALUES (
    %(workspace_id)s, %(segment_id)s, %(chunk_count)s, %(chunk_numbers)s, %(lengths)s, %(dead)s
)

-- name: move_documents
UPDATE documents SET segment_id = %(segment_id)s
WHERE workspace_id = %(workspace_id)s AND segment_id = ANY (%(segments)s::integer[])

-- name: delete_postings
DELETE FROM postings
WHERE workspace_id = %(workspace_id)s AND segment_id = ANY (%(segments)s::integer[])

-- name: delete_segments
DELETE FROM segments
WHERE workspace_id = %(workspace_id)s AND segment_id = ANY (%(segments)s::integer[])

-- name: forget_staged
-- Vectors of documents that failed or were deleted before they were published.
DELETE FROM staged_embeddings
WHERE workspace_id = %(workspace_id)s AND staged_at < now() - interval '7 days'

-- name: insert_postings
INSERT INTO postings (workspace_id, term, segment_id, chunk_numbers, frequencies)
-- The lists of all terms come one behind the other: four bytes a chunk number, two a frequency.
SELECT %(workspace_id)s, list.term, %(segment_id)s,
    substring(%(chunk_numbers)s::bytea FROM 4 * list.start + 1 FOR 4 * list.count),
    substring(%(frequencies)s::bytea FROM 2 * list.start + 1 FOR 2 * list.count)
FROM unnest(%(terms)s::integer[], %(starts)s::integer[], %(counts)s::integer[])
    AS list (term, start, count)
