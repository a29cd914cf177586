-- name: known_entries
-- A range for each folder, from the folder's own name up to what sorts after all that is below.
SELECT entry.external_id, entry.mark, entry.content_sha256, entry.document_id,
    documents.status = 'failed' AS failed, documents.tags
FROM unnest(%(firsts)s::text[], %(ends)s::text[]) AS place (first_id, end_id)
CROSS JOIN LATERAL (
    SELECT * FROM source_entries
    WHERE source_entries.workspace_id = %(workspace_id)s
        AND source_entries.collection = %(collection)s
        AND source_entries.external_id >= place.first_id
        AND source_entries.external_id < place.end_id
) AS entry
JOIN documents ON documents.workspace_id = %(workspace_id)s
    AND documents.document_id = entry.document_id
ORDER BY entry.external_id

-- name: forget_entry
DELETE FROM source_entries
WHERE workspace_id = %(workspace_id)s AND collection = %(collection)s
    AND external_id = %(external_id)s

-- name: remember_entry
INSERT INTO source_entries
    (workspace_id, document_id, external_id, collection, mark, content_sha256)
VALUES (
    %(workspace_id)s, %(document_id)s, %(external_id)s, %(collection)s, %(mark)s,
    %(content_sha256)s
)

-- name: doubt_others
-- Its document has other bytes now; what shared the old ones is read again.
UPDATE source_entries SET mark = ''
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND content_sha256 <> %(content_sha256)s

-- name: rename_document
UPDATE documents SET external_id = %(external_id)s, filename = %(filename)s
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND external_id = %(old_external_id)s

-- name: remaining_entries
SELECT external_id FROM source_entries
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
ORDER BY external_id

-- name: owner_of
SELECT external_id FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
FOR UPDATE
