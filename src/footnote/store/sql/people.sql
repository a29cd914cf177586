-- name: standing
-- By the name that a credential proves, whatever the case of its letters.
SELECT user_name, active, ARRAY(
    SELECT g.display_name FROM memberships AS m
    JOIN user_groups AS g ON g.workspace_id = m.workspace_id AND g.group_id = m.group_id
    WHERE m.workspace_id = u.workspace_id AND m.user_id = u.user_id
    ORDER BY g.display_name
) AS groups
FROM users AS u
WHERE workspace_id = %(workspace_id)s AND lower(user_name) = lower(%(who)s)

-- name: users
SELECT u.*, ARRAY(
    SELECT m.group_id FROM memberships AS m
    WHERE m.workspace_id = u.workspace_id AND m.user_id = u.user_id ORDER BY m.group_id
) AS group_ids
FROM users AS u
WHERE workspace_id = %(workspace_id)s
    AND (%(user_id)s::uuid IS NULL OR user_id = %(user_id)s)
    AND (%(user_name)s::text IS NULL OR lower(user_name) = lower(%(user_name)s))
    AND (%(external_id)s::text IS NULL OR external_id = %(external_id)s)
ORDER BY created_at, user_id
LIMIT %(limit)s OFFSET %(offset)s

-- name: count_users
SELECT count(*) AS total FROM users
WHERE workspace_id = %(workspace_id)s
    AND (%(user_name)s::text IS NULL OR lower(user_name) = lower(%(user_name)s))
    AND (%(external_id)s::text IS NULL OR external_id = %(external_id)s)

-- name: add_user
INSERT INTO users (workspace_id, user_id, user_name, external_id, active, attributes)
VALUES (
    %(workspace_id)s, %(user_id)s, %(user_name)s, %(external_id)s, %(active)s, %(attributes)s
)

-- name: change_user
UPDATE users SET
    user_name = %(user_name)s, external_id = %(external_id)s, active = %(active)s,
    attributes = %(attributes)s, updated_at = now()
WHERE workspace_id = %(workspace_id)s AND user_id = %(user_id)s

-- name: remove_user
DELETE FROM users WHERE workspace_id = %(workspace_id)s AND user_id = %(user_id)s

-- name: groups
SELECT g.*, ARRAY(
    SELECT m.user_id FROM memberships AS m
    WHERE m.workspace_id = g.workspace_id AND m.group_id = g.group_id ORDER BY m.user_id
) AS member_ids
FROM user_groups AS g
WHERE workspace_id = %(workspace_id)s
    AND (%(group_id)s::uuid IS NULL OR group_id = %(group_id)s)
    AND (%(display_name)s::text IS NULL OR lower(display_name) = lower(%(display_name)s))
    AND (%(external_id)s::text IS NULL OR external_id = %(external_id)s)
ORDER BY created_at, group_id
LIMIT %(limit)s OFFSET %(offset)s

-- name: count_groups
SELECT count(*) AS total FROM user_groups
WHERE workspace_id = %(workspace_id)s
    AND (%(display_name)s::text IS NULL OR lower(display_name) = lower(%(display_name)s))
    AND (%(external_id)s::text IS NULL OR external_id = %(external_id)s)

-- name: add_group
INSERT INTO user_groups (workspace_id, group_id, display_name, external_id)
VALUES (%(workspace_id)s, %(group_id)s, %(display_name)s, %(external_id)s)

-- name: change_group
UPDATE user_groups SET
    display_name = %(display_name)s, external_id = %(external_id)s, updated_at = now()
WHERE workspace_id = %(workspace_id)s AND group_id = %(group_id)s

-- name: remove_group
DELETE FROM user_groups WHERE workspace_id = %(workspace_id)s AND group_id = %(group_id)s

-- name: clear_members
DELETE FROM memberships
WHERE workspace_id = %(workspace_id)s AND group_id = %(group_id)s
    AND NOT user_id = ANY (%(members)s)

-- name: add_members
-- Who is no user of the workspace is refused by the foreign key.
INSERT INTO memberships (workspace_id, group_id, user_id)
SELECT %(workspace_id)s, %(group_id)s, unnest(%(members)s::uuid[])
ON CONFLICT DO NOTHING
