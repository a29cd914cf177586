-- name: postings
-- Equality on uuid and int is leakproof, so row-level security leaves the primary key usable.
SELECT term, chunk_numbers, frequencies FROM postings
WHERE workspace_id = %(workspace_id)s AND term = ANY (%(terms)s::integer[])
ORDER BY segment_id

-- name: holders
-- Chunks alone: how often a term occurs in one does not matter to how many hold it.
SELECT term, chunk_numbers FROM postings
WHERE workspace_id = %(workspace_id)s AND term = ANY (%(terms)s::integer[])
