-- name: language_ranges
-- Row-level security leaves out the documents the principal may not see.
SELECT language, range_agg(chunks) AS chunks FROM documents
WHERE workspace_id = %(workspace_id)s AND NOT isempty(chunks)
GROUP BY language

-- name: texts
-- What the lexical index saw of these chunks, in no order. OFFSET 0 makes it one look-up for each
-- of them: a prepared plan knows nothing of the numbers, and would compare every chunk with all.
SELECT held.chunk_no, held.document_id, shown.title, held.heading_path, held.text
FROM unnest(%(numbers)s::integer[]) AS wanted (chunk_no)
CROSS JOIN LATERAL (
    SELECT chunks.chunk_no, chunks.document_id, chunks.heading_path, chunks.text FROM chunks
    WHERE chunks.workspace_id = %(workspace_id)s AND chunks.chunk_no = wanted.chunk_no
    OFFSET 0
) AS held
CROSS JOIN LATERAL (
    SELECT documents.title FROM documents
    WHERE documents.workspace_id = %(workspace_id)s AND documents.document_id = held.document_id
    OFFSET 0
) AS shown
