-- name: resting_on
-- Locked, so that nobody changes them meanwhile.
SELECT principal, conversation_id, message_no, answer FROM messages
WHERE workspace_id = %(workspace_id)s AND answer IS NOT NULL
    AND (principal, conversation_id, message_no) IN (
        SELECT principal, conversation_id, message_no FROM message_sources
        WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(document_ids)s)
    )
ORDER BY principal, conversation_id, message_no
FOR UPDATE

-- name: replace
UPDATE messages SET answer = %(answer)s
WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s
    AND conversation_id = %(conversation_id)s AND message_no = %(message_no)s

-- name: page
SELECT principal, conversation_id, message_no, answer FROM messages
WHERE workspace_id = %(workspace_id)s AND answer IS NOT NULL
    AND (principal, conversation_id, message_no)
        > (%(principal_name)s, %(conversation_id)s::uuid, %(message_no)s::integer)
ORDER BY principal, conversation_id, message_no LIMIT %(limit)s
