-- migration: expand
-- What was erased, by its ids, so that it can be erased again after a backup was restored.
-- Safe before a deploy: it only adds.

CREATE TABLE erasures (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    certificate_id uuid NOT NULL,
    target text NOT NULL CHECK (target IN ('document', 'collection', 'principal')),
    name text NOT NULL,
    document_ids uuid[] NOT NULL,
    erased_at timestamptz NOT NULL,
    erased_by text NOT NULL,
    PRIMARY KEY (workspace_id, certificate_id)
);
COMMENT ON COLUMN erasures.erased_at IS
    'When it began: what a collection or a principal had then is erased, and nothing later.';

ALTER TABLE erasures ENABLE ROW LEVEL SECURITY;
ALTER TABLE erasures FORCE ROW LEVEL SECURITY;
CREATE POLICY within_workspace ON erasures USING (workspace_id = current_workspace());
GRANT SELECT, INSERT ON erasures TO footnote_app;
