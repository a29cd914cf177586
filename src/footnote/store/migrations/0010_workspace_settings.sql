-- migration: expand
-- What a workspace chooses for itself, and the servers whose tools its agents may use.
-- Safe before a deploy: it only adds.

-- A choice that is absent follows the installation's settings.
CREATE TABLE workspace_settings (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
    settings jsonb NOT NULL,
    version integer NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now()
);

COMMENT ON COLUMN workspace_settings.version IS
    'Of the shape of the settings, so that a later one can read an earlier one.';

CREATE TABLE mcp_servers (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name text COLLATE "C" NOT NULL,
    url text NOT NULL,
    headers jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, name)
);

COMMENT ON COLUMN mcp_servers.headers IS 'Sent with every request; may hold keys, never shown.';

ALTER TABLE workspace_settings ENABLE ROW LEVEL SECURITY;
ALTER TABLE mcp_servers ENABLE ROW LEVEL SECURITY;
ALTER TABLE workspace_settings FORCE ROW LEVEL SECURITY;
ALTER TABLE mcp_servers FORCE ROW LEVEL SECURITY;
CREATE POLICY within_workspace ON workspace_settings USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON mcp_servers USING (workspace_id = current_workspace());

GRANT SELECT, INSERT, UPDATE, DELETE ON workspace_settings, mcp_servers TO footnote_app;
