-- name: tables
-- Every table of workspaces, those that later versions add included. The log of who did what holds
-- no content and outlives its workspace.
SELECT class.relname AS name FROM pg_class AS class
JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid
WHERE class.relnamespace = 'footnote'::regnamespace AND class.relkind IN ('r', 'p')
    AND attribute.attname = 'workspace_id' AND NOT attribute.attisdropped
    AND class.relname <> 'audit_log'
ORDER BY class.relname

-- name: count
SELECT count(*) AS found FROM footnote.{table} WHERE workspace_id = %(workspace_id)s

-- name: delete
DELETE FROM footnote.{table} WHERE workspace_id = %(workspace_id)s

-- name: legal_holds
SELECT count(*) AS found FROM footnote.legal_holds
WHERE workspace_id = %(workspace_id)s AND lifted_at IS NULL

-- name: delete_keys
DELETE FROM footnote.data_keys WHERE workspace_id = %(workspace_id)s

-- name: delete_jobs
DELETE FROM footnote.procrastinate_jobs
WHERE args ->> 'workspace_id' = %(workspace_name)s AND status <> 'doing'

-- name: lanes
SELECT lane_id FROM footnote.lanes WHERE workspace_id = %(workspace_id)s

-- name: samples
SELECT {key}, {column} AS sealed FROM footnote.{table}
WHERE workspace_id = %(workspace_id)s LIMIT %(limit)s

-- name: keys
SELECT version, state, wrapped, master_key, created_at, wrapped_at FROM footnote.data_keys
WHERE workspace_id = %(workspace_id)s ORDER BY version

-- name: rewrap
UPDATE footnote.data_keys
SET wrapped = %(wrapped)s, master_key = %(master_key)s, wrapped_at = now()
WHERE workspace_id = %(workspace_id)s AND version = %(version)s AND wrapped = %(before)s

-- name: mode
SELECT encryption FROM footnote.workspaces WHERE workspace_id = %(workspace_id)s

-- name: bare_credentials
SELECT (
    SELECT count(*) FROM footnote.webhook_endpoints
    WHERE workspace_id = %(workspace_id)s AND NOT starts_with(secret, 'sealed:')
) + (
    SELECT count(*) FROM footnote.mcp_servers
    WHERE workspace_id = %(workspace_id)s AND headers <> '{}' AND NOT headers ? 'sealed'
) AS found

-- name: put_back
UPDATE footnote.data_keys SET wrapped = %(wrapped)s, master_key = %(master_key)s,
    wrapped_at = %(wrapped_at)s
WHERE workspace_id = %(workspace_id)s AND version = %(version)s

-- name: add_back
INSERT INTO footnote.data_keys
    (workspace_id, version, wrapped, master_key, state, created_at, wrapped_at)
VALUES (
    %(workspace_id)s, %(version)s, %(wrapped)s, %(master_key)s, %(state)s, %(created_at)s,
    %(wrapped_at)s
)
