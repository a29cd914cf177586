-- name: page
SELECT documents.*, {key} AS sort_key FROM documents
WHERE documents.workspace_id = %(workspace_id)s AND {conditions}
ORDER BY {key} {direction}, documents.document_id {direction}
LIMIT %(limit)s

-- name: after
-- A row after the place that a cursor names; by a row comparison, which an index serves.
({key}, documents.document_id) {sign} (%(after_key)s::{type}, %(after_id)s::uuid)

-- name: total
SELECT count(*) AS total FROM documents
WHERE documents.workspace_id = %(workspace_id)s AND {conditions}

-- name: within
documents.workspace_id = %(workspace_id)s AND {conditions}

-- name: word
-- Not LIKE: no character of a word means anything but itself.
strpos(folded(documents.title || ' ' || documents.filename), folded({word}::text)) > 0

-- name: among
documents.document_id = ANY ({ids}::uuid[])

-- name: equals
{column} = {value}::text

-- name: tagged
{value}::text = ANY (documents.tags)

-- name: names
-- Of all documents that the principal may see, for what the database cannot read.
SELECT document_id, title, filename FROM documents WHERE workspace_id = %(workspace_id)s

-- name: titles
SELECT documents.document_id, documents.title FROM documents
WHERE documents.workspace_id = %(workspace_id)s AND {conditions}

-- name: of_ids
SELECT * FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(document_ids)s::uuid[])

-- name: versions
-- Through the documents, whose policy knows who may see them.
SELECT given.version, given.filename, given.media_type, given.byte_size, given.content_sha256,
    given.created_at, given.version IS NOT DISTINCT FROM published_version AS published
FROM documents JOIN document_versions AS given USING (workspace_id, document_id)
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
ORDER BY given.version DESC
