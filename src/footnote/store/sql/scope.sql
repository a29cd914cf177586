-- name: bind
-- Transaction-local, so a connection that goes back to the pool is bound to nothing.
SELECT
    set_config('footnote.workspace_id', %(workspace_id)s, true),
    set_config('footnote.access', (%(access)s::text[])::text, true)

-- name: bind_workspace
SET LOCAL footnote.workspace_id = {workspace}

-- name: bind_access
SET LOCAL footnote.access = {access}

-- name: begin_moment
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY

-- name: begin_batch
BEGIN

-- name: end
COMMIT

-- name: act_and_bind
-- As whom and in which workspace a transaction runs that has begun, in one statement.
SELECT
    set_config('role', 'footnote_app', true),
    set_config('search_path', %(schema)s || ', public, extensions', true),
    set_config('statement_timeout', %(timeout)s, true),
    set_config('footnote.workspace_id', %(workspace_id)s, true),
    set_config('footnote.access', (%(access)s::text[])::text, true)

-- name: begin_acting
-- One message. What a transaction runs as is said in each: behind a connection pooler the next
-- one may run on another server process. The login may be more than the application role (a
-- single login for everything); what runs statements never is.
BEGIN; SET LOCAL ROLE footnote_app; SET LOCAL search_path = footnote, public, extensions;
SET LOCAL statement_timeout = {timeout}

-- name: act
-- The same for a transaction that has begun.
SELECT
    set_config('role', 'footnote_app', true),
    set_config('search_path', %(schema)s || ', public, extensions', true),
    set_config('statement_timeout', %(timeout)s, true)

-- name: server_process
SELECT pg_backend_pid() AS pid

-- name: configure
-- For a connection that one process keeps to itself.
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
