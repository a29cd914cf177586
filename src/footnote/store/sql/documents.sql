-- name: get
SELECT * FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s

-- name: called
SELECT * FROM documents
WHERE workspace_id = %(workspace_id)s
    AND (
        filename = %(called)s
        OR document_id BETWEEN %(first_id)s::uuid AND %(last_id)s::uuid
    )
ORDER BY created_at DESC, document_id
LIMIT %(limit)s

-- name: names_of_collections
-- Of what the principal may see: a collection of nothing but hidden documents is none.
SELECT name FROM collections
WHERE workspace_id = %(workspace_id)s AND EXISTS (
    SELECT FROM documents
    WHERE documents.workspace_id = collections.workspace_id
        AND documents.collection = collections.name
)
ORDER BY name

-- name: with_attachments
WITH RECURSIVE family AS (
    SELECT * FROM documents
    WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(document_ids)s)
    UNION
    SELECT child.* FROM documents AS child
    JOIN family ON child.workspace_id = family.workspace_id
        AND child.parent_id = family.document_id
)
SELECT * FROM family ORDER BY created_at, document_id

-- name: shown_version
-- What is cited is the published version; before there is one, what was received can be shown.
SELECT given.version, given.filename, given.media_type, given.blob_key,
    coalesce(length(given.canonical_text), given.characters) AS characters
FROM documents JOIN document_versions AS given USING (workspace_id, document_id)
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND given.version = coalesce(published_version, documents.version)

-- name: text
-- Documents first: row-level security lets no other reader near the version's text.
SELECT left(given.canonical_text, %(limit)s) AS text, given.version,
    coalesce(length(given.canonical_text), given.characters) AS characters
FROM documents
JOIN document_versions AS given
    ON given.workspace_id = documents.workspace_id
    AND given.document_id = documents.document_id
    AND given.version = documents.published_version
WHERE documents.workspace_id = %(workspace_id)s AND documents.document_id = %(document_id)s

-- name: texts_of_spans
-- A span with what stands around it. Through the documents, whose policy knows who may see them.
SELECT
    substr(canonical_text, char_start + 1, char_end - char_start) AS quoted,
    substr(
        canonical_text, greatest(char_start - %(around)s, 0) + 1, least(char_start, %(around)s)
    ) AS before,
    substr(canonical_text, char_end + 1, %(around)s) AS after
FROM unnest(%(starts)s::integer[], %(ends)s::integer[])
    WITH ORDINALITY AS wanted (char_start, char_end, place)
CROSS JOIN documents JOIN document_versions AS given USING (workspace_id, document_id)
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND given.version = %(version)s
ORDER BY place

-- name: with_blob
SELECT documents.*, given.blob_key
FROM documents JOIN document_versions AS given USING (workspace_id, document_id, version)
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
