-- name: bind
-- Transaction-local, so a connection that goes back to the pool is bound to nothing.
SELECT
    set_config('footnote.workspace_id', %(workspace_id)s, true),
    set_config('footnote.access', (%(access)s::text[])::text, true)

-- name: begin_moment
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY

-- name: end_moment
COMMIT

-- name: configure
-- The login may be more than the application role (a single login for everything); what
-- runs statements never is.
SELECT
    set_config('role', 'footnote_app', false),
    set_config('search_path', %(schema)s || ', public, extensions', false),
    set_config('statement_timeout', %(timeout)s, false)

-- name: role
SELECT rolsuper OR rolbypassrls OR EXISTS (
    SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname = 'footnote' AND relowner = pg_roles.oid
) AS powerful
FROM pg_roles WHERE rolname = current_user
