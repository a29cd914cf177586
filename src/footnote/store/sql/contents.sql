-- name: contents
-- What readers were shown is the published version; before there is one, what was handed in.
SELECT given.filename, given.media_type, given.blob_key
FROM documents
JOIN document_versions AS given
    ON given.workspace_id = documents.workspace_id
    AND given.document_id = documents.document_id
    AND given.version = COALESCE(documents.published_version, documents.version)
WHERE documents.workspace_id = %(workspace_id)s AND documents.document_id = %(document_id)s

-- name: text
-- Documents first: row-level security lets no other reader near the version's text.
SELECT left(given.canonical_text, %(limit)s) AS text, length(given.canonical_text) AS characters
FROM documents
JOIN document_versions AS given
    ON given.workspace_id = documents.workspace_id
    AND given.document_id = documents.document_id
    AND given.version = documents.published_version
WHERE documents.workspace_id = %(workspace_id)s AND documents.document_id = %(document_id)s

-- name: passages_in_order
SELECT chunks.*, documents.title AS document_title, documents.filename, documents.collection,
    documents.source_type, documents.language, documents.parent_id,
    parents.title AS parent_title
FROM chunks
JOIN documents USING (workspace_id, document_id)
LEFT JOIN documents AS parents
    ON parents.workspace_id = %(workspace_id)s AND parents.document_id = documents.parent_id
WHERE chunks.workspace_id = %(workspace_id)s AND chunks.document_id = %(document_id)s
ORDER BY chunks.ordinal
LIMIT %(limit)s

-- name: selected
SELECT * FROM documents
WHERE workspace_id = %(workspace_id)s
    AND (%(status)s::text IS NULL OR status = %(status)s)
    AND (
        %(before)s::timestamptz IS NULL
        OR (created_at, document_id) < (%(before)s, %(before_id)s)
    )
    AND {condition}
ORDER BY created_at DESC, document_id DESC
LIMIT %(limit)s
