-- name: keys
-- One row at least for a workspace that is there, whether it has keys or not.
SELECT workspaces.encryption, workspaces.lexical_key, data_keys.version, data_keys.wrapped,
    data_keys.master_key, data_keys.state
FROM workspaces LEFT JOIN data_keys USING (workspace_id)
WHERE workspace_id = %(workspace_id)s
ORDER BY data_keys.version

-- name: add_first
-- Of two processes that make a first key at once, one wins and both use it.
INSERT INTO data_keys (workspace_id, version, wrapped, master_key, state)
VALUES (%(workspace_id)s, 1, %(wrapped)s, %(master_key)s, 'current')
ON CONFLICT DO NOTHING
