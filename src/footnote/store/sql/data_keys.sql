-- name: keys
-- One row at least for a workspace that is there, whether it has keys or not.
SELECT workspaces.encryption, workspaces.lexical_key, data_keys.version, data_keys.wrapped,
    data_keys.master_key, data_keys.state
FROM workspaces LEFT JOIN data_keys USING (workspace_id)
WHERE workspace_id = %(workspace_id)s
ORDER BY data_keys.version

-- name: wait_for_master_key
-- One process at a time makes a master key and stores what it wraps.
SELECT pg_advisory_xact_lock(hashtextextended('footnote master key', 0))

-- name: has_wrapped_keys
SELECT has_wrapped_keys() AS found

-- name: add_first
-- Of two processes that make a first key at once, one wins and both use it.
INSERT INTO data_keys (workspace_id, version, wrapped, master_key, state)
VALUES (%(workspace_id)s, 1, %(wrapped)s, %(master_key)s, 'current')
ON CONFLICT DO NOTHING

-- name: add_coming
-- One rotation at a time: none begins while a key is coming or an old one is still needed.
INSERT INTO data_keys (workspace_id, version, wrapped, master_key, state)
SELECT %(workspace_id)s, max(version) + 1, %(wrapped)s, %(master_key)s, 'coming'
FROM data_keys WHERE workspace_id = %(workspace_id)s
HAVING bool_and(state = 'current')

-- name: age_current
UPDATE data_keys SET state = 'old'
WHERE workspace_id = %(workspace_id)s AND state = 'current' AND EXISTS (
    SELECT FROM data_keys WHERE workspace_id = %(workspace_id)s AND state = 'coming'
)

-- name: promote_coming
UPDATE data_keys SET state = 'current'
WHERE workspace_id = %(workspace_id)s AND state = 'coming'

-- name: drop_old
DELETE FROM data_keys WHERE workspace_id = %(workspace_id)s AND state = 'old'

-- name: page
-- Documents that are being published are not waited for.
SELECT {key}, {columns} FROM {table}
WHERE workspace_id = %(workspace_id)s AND {after}
ORDER BY {key} LIMIT %(limit)s FOR NO KEY UPDATE

-- name: after
({key}) > ({values})

-- name: replace
UPDATE {table} SET {changes} WHERE workspace_id = %(workspace_id)s AND ({key}) = ({values})

-- name: stage_results
SELECT document_id, version, stage, substring(payload FROM 1 FOR 64) AS beginning
FROM stage_results WHERE workspace_id = %(workspace_id)s

-- name: drop_stage_result
DELETE FROM stage_results
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s AND stage = %(stage)s
