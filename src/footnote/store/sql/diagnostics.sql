-- name: pgvector
SELECT
    (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
    (SELECT default_version FROM pg_available_extensions WHERE name = 'vector')

-- name: login
SELECT session_user, login.rolsuper OR login.rolbypassrls, (
    SELECT pg_has_role(session_user, oid, 'MEMBER') FROM pg_roles WHERE rolname = %(role)s
)
FROM pg_roles AS login WHERE login.rolname = session_user

-- name: may_create
SELECT session_user, has_database_privilege(session_user, current_database(), 'CREATE')

-- name: temporary_tables
SELECT has_database_privilege(oid, current_database(), 'TEMPORARY'), quote_ident(current_database())
FROM pg_roles WHERE rolname = %(role)s
