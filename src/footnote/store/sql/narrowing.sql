-- name: language_ranges
-- Row-level security leaves out the documents the principal may not see.
SELECT language, range_agg(chunks) AS chunks FROM documents
WHERE workspace_id = %(workspace_id)s AND NOT isempty(chunks)
GROUP BY language

-- name: texts
-- What the lexical index saw of these chunks, in no order.
SELECT chunks.chunk_no, documents.title, chunks.heading_path, chunks.text
FROM chunks
JOIN documents USING (workspace_id, document_id)
WHERE chunks.workspace_id = %(workspace_id)s AND chunks.chunk_no = ANY (%(numbers)s::integer[])

-- name: holders
-- Chunks alone: how often a term occurs in one does not matter to how many hold it.
SELECT term, chunk_numbers FROM postings
WHERE workspace_id = %(workspace_id)s AND term = ANY (%(terms)s::integer[])
