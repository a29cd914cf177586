-- name: read
-- The number and the values in one statement, so that they are of one moment.
SELECT index_states.configuration, latest.name, latest.value, latest.changed_by, latest.changed_at
FROM index_states
LEFT JOIN LATERAL (
    SELECT DISTINCT ON (name) name, value, changed_by, changed_at
    FROM setting_changes
    WHERE setting_changes.workspace_id = %(workspace_id)s
    ORDER BY name, change_no DESC
) AS latest ON latest.value IS NOT NULL
WHERE index_states.workspace_id = %(workspace_id)s

-- name: lock
-- Changes are numbered in the order in which they are made.
SELECT configuration FROM index_states WHERE workspace_id = %(workspace_id)s FOR UPDATE

-- name: latest
SELECT value, value IS NOT NULL AS is_set FROM setting_changes
WHERE workspace_id = %(workspace_id)s AND name = %(name)s
ORDER BY change_no DESC
LIMIT 1

-- name: change
INSERT INTO setting_changes (workspace_id, change_no, name, value, previous, changed_by)
VALUES (%(workspace_id)s, %(change_no)s, %(name)s, %(value)s, %(previous)s, %(principal)s)

-- name: advance
-- In the transaction of the change: whoever sees the number can read what it stands for.
UPDATE index_states SET configuration = configuration + 1 WHERE workspace_id = %(workspace_id)s

-- name: history
SELECT change_no, name, value, value IS NOT NULL AS is_set, previous,
    previous IS NOT NULL AS was_set, changed_by, changed_at
FROM setting_changes
WHERE workspace_id = %(workspace_id)s AND (%(name)s::text IS NULL OR name = %(name)s)
ORDER BY change_no DESC
LIMIT %(limit)s
