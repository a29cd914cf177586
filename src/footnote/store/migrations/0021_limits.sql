-- migration: expand
-- How often a caller may ask, and queries of the audit log that a new key encrypts.
-- Safe before a deploy: it only adds.

CREATE TABLE rate_limits (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    caller text COLLATE "C" NOT NULL,
    due timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, caller)
) WITH (fillfactor = 50);
COMMENT ON COLUMN rate_limits.due IS
    'When the caller''s requests would be made up for, had they come evenly.';
ALTER TABLE rate_limits ENABLE ROW LEVEL SECURITY;
ALTER TABLE rate_limits FORCE ROW LEVEL SECURITY;
CREATE POLICY within_workspace ON rate_limits USING (workspace_id = current_workspace());
GRANT SELECT, INSERT, UPDATE, DELETE ON rate_limits TO footnote_app;

-- A query that was changed no longer fits its digest in the log.
GRANT UPDATE ON audit_queries TO footnote_app;
