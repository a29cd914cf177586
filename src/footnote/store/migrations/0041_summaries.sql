-- migration: expand
-- Summaries: the sentences that say most of a document, with where they stand. Those of several
-- documents are made from them when they are read.
-- Safe before a deploy: it only adds.

-- Which version of a document was summarised, by what, and what came of it.
CREATE TABLE summary_sets (
    workspace_id uuid NOT NULL,
    document_id uuid NOT NULL,
    version integer NOT NULL,
    summariser text NOT NULL,
    failure text,
    attempts integer NOT NULL DEFAULT 0,
    made_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, document_id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);

CREATE TABLE summary_sentences (
    workspace_id uuid NOT NULL,
    document_id uuid NOT NULL,
    -- By falling weight in the document.
    ordinal integer NOT NULL,
    version integer NOT NULL,
    char_start integer NOT NULL,
    char_end integer NOT NULL CHECK (char_end > char_start),
    -- Encrypted where content is.
    text text NOT NULL,
    weight real NOT NULL CHECK (weight BETWEEN 0 AND 1),
    -- In the lane that the summariser of the set names.
    embedding halfvec NOT NULL,
    PRIMARY KEY (workspace_id, document_id, ordinal),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);

ALTER TABLE summary_sets ENABLE ROW LEVEL SECURITY;
ALTER TABLE summary_sentences ENABLE ROW LEVEL SECURITY;
ALTER TABLE summary_sets FORCE ROW LEVEL SECURITY;
ALTER TABLE summary_sentences FORCE ROW LEVEL SECURITY;

-- Whoever may not see a document sees none of its sentences.
CREATE POLICY within_workspace ON summary_sets USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON summary_sentences
    USING (
        workspace_id = current_workspace()
        AND (
            '*' = ANY ((SELECT current_access())::text[])
            OR EXISTS (
                SELECT FROM documents
                WHERE documents.workspace_id = summary_sentences.workspace_id
                    AND documents.document_id = summary_sentences.document_id
            )
        )
    )
    WITH CHECK (workspace_id = current_workspace());

GRANT SELECT, INSERT, UPDATE, DELETE ON summary_sets, summary_sentences TO footnote_app;
