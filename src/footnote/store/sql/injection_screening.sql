-- name: progress
SELECT count(*) AS documents, count(*) - count(unmarked.document_id) AS done,
    min(documents.created_at) FILTER (WHERE unmarked.document_id IS NOT NULL) AS oldest_waiting
FROM documents
LEFT JOIN (
    SELECT DISTINCT document_id FROM chunks
    WHERE workspace_id = %(workspace_id)s AND suspicious IS NULL
) AS unmarked USING (document_id)
WHERE documents.workspace_id = %(workspace_id)s AND documents.published_version IS NOT NULL

-- name: any_unmarked
SELECT EXISTS (
    SELECT FROM chunks WHERE workspace_id = %(workspace_id)s AND suspicious IS NULL
) AS found

-- name: unmarked
-- Of the newest documents first.
SELECT chunks.chunk_no
FROM chunks
JOIN documents
    ON documents.workspace_id = %(workspace_id)s AND documents.document_id = chunks.document_id
    AND documents.published_version = chunks.version
WHERE chunks.workspace_id = %(workspace_id)s AND chunks.suspicious IS NULL
ORDER BY documents.created_at DESC, documents.document_id, chunks.chunk_no
LIMIT %(limit)s

-- name: mark
UPDATE chunks SET suspicious = marked.suspicious
FROM unnest(%(numbers)s::integer[], %(found)s::boolean[]) AS marked (chunk_no, suspicious)
WHERE chunks.workspace_id = %(workspace_id)s AND chunks.chunk_no = marked.chunk_no
    AND chunks.suspicious IS NULL
