-- migration: expand
-- What a workspace set of the installation's settings, and who changed it when.
-- Safe before a deploy: it only adds.

-- The log is all there is: what a setting is now is what its last change says. A setting that was
-- taken back has a change without a value, which is not the same as the value null.
CREATE TABLE setting_changes (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    change_no bigint NOT NULL CHECK (change_no > 0),
    name text COLLATE "C" NOT NULL,
    value jsonb,
    previous jsonb,
    changed_by text NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, change_no)
);
CREATE UNIQUE INDEX changes_of_setting ON setting_changes (workspace_id, name, change_no);

ALTER TABLE setting_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE setting_changes FORCE ROW LEVEL SECURITY;
CREATE POLICY within_workspace ON setting_changes USING (workspace_id = current_workspace());
GRANT SELECT, INSERT ON setting_changes TO footnote_app;

-- Beside the generation, which every search reads anyway.
ALTER TABLE index_states ADD COLUMN configuration bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN index_states.configuration IS
    'Number of the last change in setting_changes; 0 before the first.';
