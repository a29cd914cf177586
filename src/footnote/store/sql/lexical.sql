-- name: postings
-- Equality on uuid and int is leakproof, so row-level security leaves the primary keys usable.
-- Blocks, and rows of one list as they were written before there were blocks.
SELECT segment_id, block, lists, NULL::bytea AS frequencies FROM posting_blocks
WHERE workspace_id = %(workspace_id)s AND block = ANY (%(blocks)s::integer[])
UNION ALL
SELECT segment_id, term, chunk_numbers, frequencies FROM postings
WHERE workspace_id = %(workspace_id)s AND term = ANY (%(terms)s::integer[])
ORDER BY segment_id
