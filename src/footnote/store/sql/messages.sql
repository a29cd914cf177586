-- name: page
SELECT message.message_id, message.message_no, message.role, message.text, message.answer,
    message.active, message.created_at, parent.message_id AS parent_id,
    feedback.thumb, feedback.comment, feedback.created_at AS judged_at,
    feedback.updated_at AS rejudged_at
FROM messages AS message
LEFT JOIN messages AS parent ON parent.workspace_id = %(workspace_id)s
    AND parent.principal = %(principal)s AND parent.conversation_id = %(conversation_id)s
    AND parent.message_no = message.parent_no
LEFT JOIN feedback ON feedback.workspace_id = %(workspace_id)s
    AND feedback.principal = %(principal)s AND feedback.conversation_id = %(conversation_id)s
    AND feedback.message_no = message.message_no
WHERE message.workspace_id = %(workspace_id)s AND message.principal = %(principal)s
    AND message.conversation_id = %(conversation_id)s AND message.message_no > %(after)s
    AND (message.active OR %(all_branches)s)
ORDER BY message.message_no LIMIT %(limit)s

-- name: said_in
-- What was said in several conversations, on every branch.
SELECT conversation_id, message_no, message_id, role, text, answer FROM messages
WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s
    AND conversation_id = ANY (%(conversation_ids)s)
    AND (conversation_id, message_no) > (%(after_conversation)s::uuid, %(after_message)s::integer)
ORDER BY conversation_id, message_no LIMIT %(limit)s

-- name: place
-- Where a message stands in which conversation.
SELECT message_no, parent_no, role, text FROM messages
WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s
    AND message_id = %(message_id)s AND conversation_id = %(conversation_id)s

-- name: exchange_of
-- A question with the first answer it got.
SELECT message_no, text FROM messages
WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s
    AND conversation_id = %(conversation_id)s
    AND (message_id = %(message_id)s OR parent_no = (
        SELECT message_no FROM messages
        WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s
            AND conversation_id = %(conversation_id)s AND message_id = %(message_id)s
    ))
ORDER BY message_no LIMIT 2

-- name: last_active
SELECT max(message_no) AS message_no FROM messages
WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s
    AND conversation_id = %(conversation_id)s AND active

-- name: said_until
-- A message and what came before it on its branch, latest first.
WITH RECURSIVE path AS (
    SELECT message_no, parent_no, role, text, answer, 1 AS depth FROM messages
    WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s
        AND conversation_id = %(conversation_id)s AND message_no = %(message_no)s
    UNION ALL
    SELECT messages.message_no, messages.parent_no, messages.role, messages.text,
        messages.answer, path.depth + 1
    FROM path JOIN messages ON messages.workspace_id = %(workspace_id)s
        AND messages.principal = %(principal)s
        AND messages.conversation_id = %(conversation_id)s
        AND messages.message_no = path.parent_no
    WHERE path.depth < %(limit)s
)
SELECT message_no, role, text, answer FROM path ORDER BY depth

-- name: take_numbers
-- Locks the conversation, so that messages come one after the other.
UPDATE conversations SET
    next_message = next_message + %(count)s,
    title = CASE title WHEN '' THEN %(title)s ELSE title END,
    updated_at = clock_timestamp()
WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s
    AND conversation_id = %(conversation_id)s
RETURNING next_message - %(count)s AS first_no

-- name: insert
INSERT INTO messages (
    workspace_id, principal, conversation_id, message_no, message_id, parent_no, role, text,
    answer, found, active, created_at
) VALUES (
    %(workspace_id)s, %(principal)s, %(conversation_id)s, %(message_no)s, %(message_id)s,
    %(parent_no)s, %(role)s, %(text)s, %(answer)s, %(found)s, true, clock_timestamp()
)

-- name: insert_sources
INSERT INTO message_sources (
    workspace_id, document_id, principal, conversation_id, message_no, citations
)
SELECT %(workspace_id)s, document_id, %(principal)s, %(conversation_id)s, %(message_no)s, citations
FROM unnest(%(document_ids)s::uuid[], %(citations)s::integer[]) AS used (document_id, citations)
ON CONFLICT DO NOTHING

-- name: hold_answer
-- Until the transaction ends, so that nobody else adds to it.
SELECT message_no, text, answer FROM messages
WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s
    AND conversation_id = %(conversation_id)s AND message_no = %(message_no)s
FOR UPDATE

-- name: replace_answer
UPDATE messages SET answer = %(answer)s
WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s
    AND conversation_id = %(conversation_id)s AND message_no = %(message_no)s

-- name: newest_below
-- The message that a reader of this branch saw last.
WITH RECURSIVE path AS (
    SELECT %(message_no)s::integer AS message_no
    UNION ALL
    SELECT child.message_no FROM path CROSS JOIN LATERAL (
        SELECT messages.message_no FROM messages
        WHERE messages.workspace_id = %(workspace_id)s AND messages.principal = %(principal)s
            AND messages.conversation_id = %(conversation_id)s
            AND messages.parent_no = path.message_no
        ORDER BY messages.message_no DESC LIMIT 1
    ) AS child
)
SELECT max(message_no) AS message_no FROM path

-- name: make_active
-- The path that ends with a message, and no other.
WITH RECURSIVE path AS (
    SELECT message_no, parent_no FROM messages
    WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s
        AND conversation_id = %(conversation_id)s AND message_no = %(message_no)s
    UNION ALL
    SELECT messages.message_no, messages.parent_no
    FROM path JOIN messages ON messages.workspace_id = %(workspace_id)s
        AND messages.principal = %(principal)s
        AND messages.conversation_id = %(conversation_id)s
        AND messages.message_no = path.parent_no
)
UPDATE messages SET active = NOT active
WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s
    AND conversation_id = %(conversation_id)s
    AND active <> (message_no IN (SELECT path.message_no FROM path))

-- name: hold_documents
-- Those that are still there and may be seen; they stay until the transaction ends.
SELECT document_id FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(document_ids)s)
ORDER BY document_id FOR KEY SHARE

-- name: visible_documents
SELECT document_id FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(document_ids)s)

-- name: judge
INSERT INTO feedback (workspace_id, principal, conversation_id, message_no, thumb, comment)
VALUES (
    %(workspace_id)s, %(principal)s, %(conversation_id)s, %(message_no)s, %(thumb)s, %(comment)s
)
ON CONFLICT (workspace_id, principal, conversation_id, message_no) DO UPDATE
SET thumb = EXCLUDED.thumb, comment = EXCLUDED.comment, updated_at = clock_timestamp()

-- name: forget_judgement
DELETE FROM feedback
WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s
    AND conversation_id = %(conversation_id)s AND message_no = %(message_no)s

-- name: judged
SELECT feedback.conversation_id, feedback.message_no, feedback.thumb, feedback.comment,
    feedback.created_at AS judged_at, feedback.updated_at AS rejudged_at,
    messages.message_id, messages.answer
FROM feedback
JOIN messages ON messages.workspace_id = %(workspace_id)s AND messages.principal = %(principal)s
    AND messages.conversation_id = feedback.conversation_id
    AND messages.message_no = feedback.message_no
WHERE feedback.workspace_id = %(workspace_id)s AND feedback.principal = %(principal)s
    AND (feedback.conversation_id, feedback.message_no)
        > (%(after_conversation)s::uuid, %(after_message)s::integer)
ORDER BY feedback.conversation_id, feedback.message_no LIMIT %(limit)s
