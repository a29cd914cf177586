-- name: list
SELECT view_id, name, view, updated_at FROM saved_views
WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s
ORDER BY created_at, view_id

-- name: one_at_a_time
-- Names are told apart here and not by an index, which could not read them.
SELECT pg_advisory_xact_lock(hashtextextended(%(workspace_id)s::text || %(principal)s, 1))

-- name: keep
INSERT INTO saved_views (workspace_id, principal, view_id, name, view)
VALUES (%(workspace_id)s, %(principal)s, %(view_id)s, %(name)s, %(view)s)
ON CONFLICT (workspace_id, principal, view_id)
    DO UPDATE SET name = excluded.name, view = excluded.view, updated_at = now()
RETURNING updated_at

-- name: remove
DELETE FROM saved_views
WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s AND view_id = %(view_id)s
