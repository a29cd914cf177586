-- migration: expand
-- What was answered and what was cited can be counted without reading the answers.
-- Safe before a deploy: it only adds, and processes of before write rows that count for nothing. It
-- builds two indexes, for which writers of messages wait.

ALTER TABLE messages ADD COLUMN found boolean;
COMMENT ON COLUMN messages.found IS
    'Whether it answers; null for a question, and for an answer that was encrypted before there was '
    'such a column.';
ALTER TABLE message_sources
    ADD COLUMN citations integer NOT NULL DEFAULT 0,
    ADD COLUMN answered_at timestamptz NOT NULL DEFAULT now();
COMMENT ON COLUMN message_sources.citations IS
    'How often the answer cites the document; 0 where it was among the evidence alone.';

-- Row-level security binds the owner too, so a change of every workspace needs it lifted. An
-- answer that is encrypted has none of these members.
ALTER TABLE messages NO FORCE ROW LEVEL SECURITY;
ALTER TABLE message_sources NO FORCE ROW LEVEL SECURITY;
UPDATE messages SET found = (answer ->> 'found')::boolean WHERE answer ? 'found';
UPDATE message_sources AS source SET
    answered_at = messages.created_at,
    citations = (
        SELECT count(*)
        FROM jsonb_array_elements(coalesce(messages.answer -> 'citations', '[]')) AS cited
        WHERE cited ->> 'document_id' = source.document_id::text
    )
FROM messages
WHERE messages.workspace_id = source.workspace_id AND messages.principal = source.principal
    AND messages.conversation_id = source.conversation_id
    AND messages.message_no = source.message_no;
ALTER TABLE messages FORCE ROW LEVEL SECURITY;
ALTER TABLE message_sources FORCE ROW LEVEL SECURITY;

CREATE INDEX messages_unanswered ON messages (workspace_id, created_at) WHERE NOT found;
-- With what the policy asks for and what is summed up, so that the table is not touched.
CREATE INDEX message_sources_cited ON message_sources (workspace_id, answered_at)
    INCLUDE (document_id, citations, principal) WHERE citations > 0;
