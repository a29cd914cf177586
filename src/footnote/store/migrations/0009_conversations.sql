-- migration: expand
-- Conversations: what a principal asked, what was answered, and what it thought of that.
-- Safe before a deploy: it only adds.

-- A conversation is its principal's alone, so the principal is part of every key: what hangs below
-- one cannot be another's.
CREATE TABLE conversations (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    principal text NOT NULL,
    conversation_id uuid NOT NULL,
    title text NOT NULL,
    document_mode text NOT NULL CHECK (document_mode IN ('first', 'only')),
    next_message integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, principal, conversation_id)
);
CREATE INDEX conversations_recent
    ON conversations (workspace_id, principal, updated_at DESC, conversation_id DESC);

COMMENT ON COLUMN conversations.title IS 'Empty until something is asked.';
COMMENT ON COLUMN conversations.document_mode IS
    'Whether attached documents are searched first, or they only.';

CREATE TABLE conversation_documents (
    workspace_id uuid NOT NULL,
    principal text NOT NULL,
    conversation_id uuid NOT NULL,
    document_id uuid NOT NULL,
    attached_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, principal, conversation_id, document_id),
    FOREIGN KEY (workspace_id, principal, conversation_id) REFERENCES conversations
        ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);
CREATE INDEX conversation_documents_document
    ON conversation_documents (workspace_id, document_id);

-- A message follows its parent; two that share one are branches. Exactly one path is active.
CREATE TABLE messages (
    workspace_id uuid NOT NULL,
    principal text NOT NULL,
    conversation_id uuid NOT NULL,
    message_no integer NOT NULL,
    message_id uuid NOT NULL,
    parent_no integer,
    role text NOT NULL CHECK (role IN ('user', 'assistant')),
    text text NOT NULL,
    answer jsonb,
    active boolean NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, principal, conversation_id, message_no),
    FOREIGN KEY (workspace_id, principal, conversation_id) REFERENCES conversations
        ON DELETE CASCADE,
    CHECK ((role = 'assistant') = (answer IS NOT NULL)),
    CHECK (parent_no < message_no)
);
CREATE UNIQUE INDEX messages_identity ON messages (workspace_id, principal, message_id);
CREATE INDEX messages_children
    ON messages (workspace_id, principal, conversation_id, parent_no, message_no);

COMMENT ON COLUMN messages.text IS
    'Of a question. What an answer says stands in its sentences alone, so that it can be erased.';

-- Which documents an answer rests on.
CREATE TABLE message_sources (
    workspace_id uuid NOT NULL,
    document_id uuid NOT NULL,
    principal text NOT NULL,
    conversation_id uuid NOT NULL,
    message_no integer NOT NULL,
    PRIMARY KEY (workspace_id, document_id, principal, conversation_id, message_no),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, principal, conversation_id, message_no) REFERENCES messages
        ON DELETE CASCADE
);
CREATE INDEX message_sources_message
    ON message_sources (workspace_id, principal, conversation_id, message_no);

-- What its principal thinks of an answer. The trace is the answer's own.
CREATE TABLE feedback (
    workspace_id uuid NOT NULL,
    principal text NOT NULL,
    conversation_id uuid NOT NULL,
    message_no integer NOT NULL,
    thumb text NOT NULL CHECK (thumb IN ('up', 'down')),
    comment text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, principal, conversation_id, message_no),
    FOREIGN KEY (workspace_id, principal, conversation_id, message_no) REFERENCES messages
        ON DELETE CASCADE
);

ALTER TABLE conversations ENABLE ROW LEVEL SECURITY;
ALTER TABLE conversation_documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE message_sources ENABLE ROW LEVEL SECURITY;
ALTER TABLE feedback ENABLE ROW LEVEL SECURITY;
ALTER TABLE conversations FORCE ROW LEVEL SECURITY;
ALTER TABLE conversation_documents FORCE ROW LEVEL SECURITY;
ALTER TABLE messages FORCE ROW LEVEL SECURITY;
ALTER TABLE message_sources FORCE ROW LEVEL SECURITY;
ALTER TABLE feedback FORCE ROW LEVEL SECURITY;

CREATE POLICY within_workspace ON conversations
    USING (
        workspace_id = current_workspace()
        AND ('*' = ANY (current_access()) OR principal = ANY (current_access()))
    );
CREATE POLICY within_workspace ON conversation_documents
    USING (
        workspace_id = current_workspace()
        AND ('*' = ANY (current_access()) OR principal = ANY (current_access()))
    );
CREATE POLICY within_workspace ON messages
    USING (
        workspace_id = current_workspace()
        AND ('*' = ANY (current_access()) OR principal = ANY (current_access()))
    );
CREATE POLICY within_workspace ON message_sources
    USING (
        workspace_id = current_workspace()
        AND ('*' = ANY (current_access()) OR principal = ANY (current_access()))
    );
CREATE POLICY within_workspace ON feedback
    USING (
        workspace_id = current_workspace()
        AND ('*' = ANY (current_access()) OR principal = ANY (current_access()))
    );

GRANT SELECT, INSERT, UPDATE, DELETE
    ON conversations, conversation_documents, messages, message_sources, feedback
    TO footnote_app;

-- An answer without anything of a document: its citations are removed with all that they quoted,
-- its place among the evidence, and the text of every sentence that rests on it, or may do so.
-- The domain has the same rule for what a reader may no longer see; a test holds the two equal.
CREATE FUNCTION without_document(answer jsonb, gone text) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
    WITH removed AS (
        SELECT DISTINCT marker FROM (
            SELECT jsonb_array_elements(answer -> 'removed_markers')
            UNION ALL
            SELECT cited -> 'marker' FROM jsonb_array_elements(answer -> 'citations') AS cited
            WHERE cited ->> 'document_id' = gone
        ) AS both_kinds (marker)
    )
    SELECT answer || jsonb_build_object(
        'removed_markers',
        (SELECT COALESCE(jsonb_agg(marker ORDER BY marker), '[]') FROM removed),
        'citations',
        (
            SELECT COALESCE(jsonb_agg(cited ORDER BY place), '[]')
            FROM jsonb_array_elements(answer -> 'citations') WITH ORDINALITY AS each (cited, place)
            WHERE cited ->> 'document_id' <> gone
        ),
        'evidence',
        (
            SELECT COALESCE(jsonb_agg(found ORDER BY place), '[]')
            FROM jsonb_array_elements(answer -> 'evidence') WITH ORDINALITY AS each (found, place)
            WHERE found ->> 'document_id' <> gone
        ),
        'sentences',
        (
            SELECT COALESCE(
                jsonb_agg(
                    CASE
                        WHEN (answer ->> 'found')::boolean AND (
                            jsonb_array_length(sentence -> 'markers') = 0
                            OR EXISTS (
                                SELECT FROM removed WHERE sentence -> 'markers' @> removed.marker
                            )
                        ) THEN sentence || '{"text": ""}'
                        ELSE sentence
                    END
                    ORDER BY place
                ),
                '[]'
            )
            FROM jsonb_array_elements(answer -> 'sentences')
                WITH ORDINALITY AS each (sentence, place)
        )
    )
);

-- Whoever deletes a document need not be who asked about it, and must not see what was answered;
-- so this acts as the system.
CREATE FUNCTION remove_from_answers() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    access text := COALESCE(current_setting('footnote.access', true), '');
BEGIN
    PERFORM set_config('footnote.access', '{*}', true);
    UPDATE messages SET answer = without_document(answer, OLD.document_id::text)
    WHERE (workspace_id, principal, conversation_id, message_no) IN (
        SELECT workspace_id, principal, conversation_id, message_no FROM message_sources
        WHERE workspace_id = OLD.workspace_id AND document_id = OLD.document_id
    );
    PERFORM set_config('footnote.access', access, true);
    RETURN OLD;
END;
$$;
REVOKE EXECUTE ON FUNCTION remove_from_answers FROM PUBLIC;

-- Before the deletion, for what says where to look goes with the document.
CREATE TRIGGER remove_from_answers BEFORE DELETE ON documents
    FOR EACH ROW EXECUTE FUNCTION remove_from_answers();
