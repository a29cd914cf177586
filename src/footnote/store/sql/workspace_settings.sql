-- name: read
SELECT settings, version FROM workspace_settings WHERE workspace_id = %(workspace_id)s

-- name: write
-- One choice is written at a time, so that two people who change two of them both get theirs.
INSERT INTO workspace_settings (workspace_id, settings, version)
VALUES (%(workspace_id)s, %(settings)s, %(version)s)
ON CONFLICT (workspace_id) DO UPDATE SET
    settings = workspace_settings.settings || excluded.settings,
    version = excluded.version, updated_at = now()

-- name: clear
UPDATE workspace_settings SET settings = settings - %(key)s::text, updated_at = now()
WHERE workspace_id = %(workspace_id)s

-- name: add_server
INSERT INTO mcp_servers (workspace_id, name, url, headers)
VALUES (%(workspace_id)s, %(name)s, %(url)s, %(headers)s)
ON CONFLICT (workspace_id, name) DO NOTHING

-- name: list_servers
SELECT name, url, headers FROM mcp_servers WHERE workspace_id = %(workspace_id)s ORDER BY name

-- name: remove_server
DELETE FROM mcp_servers WHERE workspace_id = %(workspace_id)s AND name = %(name)s
