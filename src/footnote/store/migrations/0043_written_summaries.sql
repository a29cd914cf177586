-- migration: expand
-- Summaries that a language model wrote of a version, each sentence with those that it rests on.
-- Safe before a deploy: it only adds.

ALTER TABLE summary_sets
    ADD COLUMN writer text,
    ADD COLUMN writing_failure text,
    ADD COLUMN writing_attempts integer NOT NULL DEFAULT 0,
    ADD COLUMN model_input_tokens bigint NOT NULL DEFAULT 0,
    ADD COLUMN model_output_tokens bigint NOT NULL DEFAULT 0,
    ADD COLUMN model_cost_usd double precision DEFAULT 0,
    ADD COLUMN left_out integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN summary_sets.model_cost_usd IS 'Null where the price is not known.';

CREATE TABLE written_sentences (
    workspace_id uuid NOT NULL,
    document_id uuid NOT NULL,
    ordinal integer NOT NULL,
    version integer NOT NULL,
    support real NOT NULL CHECK (support BETWEEN 0 AND 1),
    -- The sentence and the stretches that it rests on; encrypted where content is.
    content jsonb NOT NULL,
    PRIMARY KEY (workspace_id, document_id, ordinal),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);

ALTER TABLE written_sentences ENABLE ROW LEVEL SECURITY;
ALTER TABLE written_sentences FORCE ROW LEVEL SECURITY;

-- Whoever may not see a document sees nothing that was written of it.
CREATE POLICY within_workspace ON written_sentences
    USING (
        workspace_id = current_workspace()
        AND (
            '*' = ANY ((SELECT current_access())::text[])
            OR EXISTS (
                SELECT FROM documents
                WHERE documents.workspace_id = written_sentences.workspace_id
                    AND documents.document_id = written_sentences.document_id
            )
        )
    )
    WITH CHECK (workspace_id = current_workspace());

GRANT SELECT, INSERT, UPDATE, DELETE ON written_sentences TO footnote_app;
