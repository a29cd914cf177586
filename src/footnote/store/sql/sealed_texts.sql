-- name: remove
DELETE FROM sealed_texts
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s

-- name: note_length
UPDATE document_versions SET characters = %(characters)s
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s

-- name: insert
INSERT INTO sealed_texts (workspace_id, document_id, version, piece, sealed)
VALUES (%(workspace_id)s, %(document_id)s, %(version)s, %(piece)s, %(sealed)s)

-- name: pieces
-- Through the documents, whose policy knows who may see them.
SELECT piece, sealed FROM documents JOIN sealed_texts USING (workspace_id, document_id)
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND sealed_texts.version = %(version)s AND piece = ANY (%(pieces)s::integer[])
