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

-- name: visible
-- Start and stop of each range, int32, big-endian: a text of thousands would be slow to read.
SELECT string_agg(int4send(lower(piece)) || int4send(upper(piece)), ''::bytea) AS bounds
FROM (SELECT range_agg(documents.chunks) AS chunks FROM documents WHERE {documents}) AS visible
CROSS JOIN LATERAL unnest(visible.chunks) AS piece

-- name: of_kinds
-- One walk over chunks_of_kind for each kind and each range of visible chunks; the aggregate
-- within keeps the planner from comparing every chunk with every range. int32 each, big-endian.
SELECT string_agg(of_kind.numbers, ''::bytea) AS numbers
FROM unnest(%(visible)s::int4multirange) AS allowed
CROSS JOIN unnest(%(kinds)s::text[]) AS wanted (kind)
CROSS JOIN LATERAL (
    SELECT string_agg(int4send(chunk_no), ''::bytea) AS numbers FROM chunks
    WHERE chunks.workspace_id = %(workspace_id)s AND chunks.kind = wanted.kind
        AND chunks.chunk_no >= lower(allowed) AND chunks.chunk_no < upper(allowed)
) AS of_kind
