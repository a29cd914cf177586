-- name: versions
-- Every version that is kept, and what people called the document.
SELECT documents.document_id, documents.language, documents.title, documents.external_id,
    documents.tags, documents.metadata, versions.version, versions.filename,
    versions.canonical_text
FROM documents JOIN document_versions AS versions USING (workspace_id, document_id)
WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(document_ids)s)
ORDER BY document_id, versions.version

-- name: sealed_pieces
SELECT piece, sealed FROM sealed_texts
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s
ORDER BY piece

-- name: index_secret
SELECT lexical_key FROM workspaces WHERE workspace_id = %(workspace_id)s

-- name: dead
SELECT dead FROM segments WHERE workspace_id = %(workspace_id)s AND NOT isempty(dead)

-- name: queries
SELECT entry_no AS message_no, audit_log.principal, NULL::uuid AS conversation_id, query AS text
FROM audit_queries JOIN audit_log USING (workspace_id, entry_no)
WHERE workspace_id = %(workspace_id)s AND entry_no > %(after_no)s
ORDER BY entry_no LIMIT %(limit)s

-- name: questions
SELECT principal, conversation_id, message_no, text FROM messages
WHERE workspace_id = %(workspace_id)s AND role = 'user'
    AND (principal, conversation_id, message_no)
        > (%(after_principal)s, %(after_conversation)s::uuid, %(after_no)s::bigint)
ORDER BY principal, conversation_id, message_no LIMIT %(limit)s

-- name: answers
SELECT principal, conversation_id, message_no, answer FROM messages
WHERE workspace_id = %(workspace_id)s AND answer IS NOT NULL
    AND (principal, conversation_id, message_no)
        > (%(after_principal)s, %(after_conversation)s::uuid, %(after_no)s::bigint)
ORDER BY principal, conversation_id, message_no LIMIT %(limit)s

-- name: titles
SELECT principal, conversation_id, 0 AS message_no, title AS text FROM conversations
WHERE workspace_id = %(workspace_id)s
    AND (principal, conversation_id) > (%(after_principal)s, %(after_conversation)s::uuid)
ORDER BY principal, conversation_id LIMIT %(limit)s

-- name: comments
SELECT principal, conversation_id, message_no, comment AS text FROM feedback
WHERE workspace_id = %(workspace_id)s
    AND (principal, conversation_id, message_no)
        > (%(after_principal)s, %(after_conversation)s::uuid, %(after_no)s::bigint)
ORDER BY principal, conversation_id, message_no LIMIT %(limit)s

-- name: pushes
-- What was pushed and may never have become a document: its address, names and metadata.
SELECT principal, ingest_id AS conversation_id, 0 AS message_no, concat_ws(
    ' ', url, (
        SELECT string_agg(value #>> '{}', ' ')
        FROM jsonb_path_query(request - 'collection', 'strict $.** ? (@.type() == "string")')
            AS value
    )
) AS text
FROM ingest_requests
WHERE workspace_id = %(workspace_id)s
    AND (principal, ingest_id) > (%(after_principal)s, %(after_conversation)s::uuid)
ORDER BY principal, ingest_id LIMIT %(limit)s

-- name: empty_queries
DELETE FROM audit_queries WHERE workspace_id = %(workspace_id)s AND entry_no = %(message_no)s

-- name: empty_questions
UPDATE messages SET text = ''
WHERE workspace_id = %(workspace_id)s AND principal = %(asker)s
    AND conversation_id = %(conversation_id)s AND message_no = %(message_no)s

-- name: empty_titles
UPDATE conversations SET title = ''
WHERE workspace_id = %(workspace_id)s AND principal = %(asker)s
    AND conversation_id = %(conversation_id)s

-- name: empty_comments
UPDATE feedback SET comment = ''
WHERE workspace_id = %(workspace_id)s AND principal = %(asker)s
    AND conversation_id = %(conversation_id)s AND message_no = %(message_no)s

-- name: empty_pushes
DELETE FROM ingest_requests
WHERE workspace_id = %(workspace_id)s AND ingest_id = %(conversation_id)s

-- name: empty_answers
UPDATE messages SET answer = %(answer)s
WHERE workspace_id = %(workspace_id)s AND principal = %(asker)s
    AND conversation_id = %(conversation_id)s AND message_no = %(message_no)s

-- name: held
SELECT principal FROM unnest(%(principals)s::text[]) AS principal
WHERE custodian_is_held(principal) LIMIT 1
