-- name: chunks
-- Of every segment, the dead among them: a keyword does not hang on a few.
SELECT coalesce(sum(octet_length(chunk_numbers) / 4), 0)::integer AS chunks FROM segments
WHERE workspace_id = %(workspace_id)s

-- name: chunks_of_terms
-- The length of a list is known without reading it.
SELECT term, sum(octet_length(chunk_numbers) / 4)::integer AS chunks FROM postings
WHERE workspace_id = %(workspace_id)s AND term = ANY (%(terms)s::integer[])
GROUP BY term
