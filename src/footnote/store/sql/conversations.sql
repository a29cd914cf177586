-- name: create
-- Nothing when it is there already.
INSERT INTO conversations (workspace_id, principal, conversation_id, title, document_mode)
VALUES (%(workspace_id)s, %(principal)s, %(conversation_id)s, %(title)s, %(document_mode)s)
ON CONFLICT DO NOTHING

-- name: conversation
-- With the documents that are attached and may be seen, in the order of attaching.
SELECT conversation_id, title, document_mode, created_at, updated_at, ARRAY (
    SELECT attached.document_id FROM conversation_documents AS attached
    JOIN documents ON documents.workspace_id = attached.workspace_id
        AND documents.document_id = attached.document_id
    WHERE attached.workspace_id = conversations.workspace_id
        AND attached.principal = conversations.principal
        AND attached.conversation_id = conversations.conversation_id
    ORDER BY attached.attached_at, attached.document_id
) AS document_ids
FROM conversations

-- name: get
-- include: conversation
WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s
    AND conversation_id = %(conversation_id)s

-- name: list
-- include: conversation
WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s
    AND (updated_at, conversation_id) < (
        COALESCE(%(before)s::timestamptz, 'infinity'),
        COALESCE(%(before_id)s::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    )
ORDER BY updated_at DESC, conversation_id DESC LIMIT %(limit)s

-- name: change
UPDATE conversations SET
    title = COALESCE(%(title)s, title),
    document_mode = COALESCE(%(document_mode)s, document_mode),
    updated_at = clock_timestamp()
WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s
    AND conversation_id = %(conversation_id)s

-- name: lock
-- Until the transaction ends, so that what is attached can be counted.
SELECT conversation_id FROM conversations
WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s
    AND conversation_id = %(conversation_id)s
FOR UPDATE

-- name: touch
UPDATE conversations SET updated_at = clock_timestamp()
WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s
    AND conversation_id = %(conversation_id)s

-- name: remove
DELETE FROM conversations
WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s
    AND conversation_id = %(conversation_id)s

-- name: count_attached
-- With those that may not be seen any longer.
SELECT count(*) AS attached FROM conversation_documents
WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s
    AND conversation_id = %(conversation_id)s

-- name: attach
INSERT INTO conversation_documents (
    workspace_id, principal, conversation_id, document_id, attached_at
) VALUES (
    %(workspace_id)s, %(principal)s, %(conversation_id)s, %(document_id)s, clock_timestamp()
) ON CONFLICT DO NOTHING

-- name: detach
DELETE FROM conversation_documents
WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s
    AND conversation_id = %(conversation_id)s AND document_id = %(document_id)s
