-- migration: expand
-- After how many days what a workspace keeps is deleted.
-- Safe before a deploy: it only adds; processes of before delete nothing by it.

CREATE TABLE retention_rules (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('documents', 'conversations', 'queries', 'pushes')),
    -- Empty for the whole workspace; a part of a primary key cannot be null.
    collection text NOT NULL DEFAULT '' CHECK (kind = 'documents' OR collection = ''),
    days integer CHECK (days > 0),
    set_by text NOT NULL,
    set_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, kind, collection)
);
COMMENT ON COLUMN retention_rules.days IS
    'Null keeps them for ever: for a collection that the rule of the workspace leaves out.';

ALTER TABLE retention_rules ENABLE ROW LEVEL SECURITY;
ALTER TABLE retention_rules FORCE ROW LEVEL SECURITY;
CREATE POLICY within_workspace ON retention_rules USING (workspace_id = current_workspace());
GRANT SELECT, INSERT, UPDATE, DELETE ON retention_rules TO footnote_app;
