-- name: server
-- The bootstrap superuser has this number in every cluster.
SELECT (SELECT system_identifier FROM pg_control_system())::text AS system_identifier,
    (SELECT timeline_id FROM pg_control_checkpoint()) AS timeline,
    current_setting('server_version_num')::int AS version,
    current_database() AS database,
    (SELECT rolname FROM pg_roles WHERE oid = 10) AS superuser,
    (SELECT rolsuper OR rolreplication FROM pg_roles WHERE rolname = current_user) AS replicates,
    (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user) AS reads_all,
    (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS rules,
    current_user AS login,
    pg_is_in_recovery() AS standby

-- name: schema
SELECT max(name) AS newest FROM footnote.migrations WHERE name ~ '^[0-9]'

-- name: lock
SELECT pg_try_advisory_lock(%(lock)s) AS got

-- name: summarize
ALTER SYSTEM SET summarize_wal = on

-- name: limit_log
ALTER SYSTEM SET max_slot_wal_keep_size = '8GB'

-- name: reload
SELECT pg_reload_conf()

-- name: slot
SELECT slot_name, active, wal_status, restart_lsn::text AS restart_lsn FROM pg_replication_slots
WHERE slot_name = %(slot)s

-- name: create_slot
SELECT pg_create_physical_replication_slot(%(slot)s, immediately_reserve => true)

-- name: copy_slot
SELECT pg_copy_physical_replication_slot(%(slot)s, %(copy)s)

-- name: drop_slot
SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots
WHERE slot_name = %(slot)s AND NOT active

-- name: advance_slot
SELECT pg_replication_slot_advance(%(slot)s, %(position)s::pg_lsn)

-- name: now
SELECT clock_timestamp() AS now

-- name: mark
-- A transaction that has a number is in the log when it is committed, with its time: recovery to a
-- moment before ends there.
SELECT pg_current_xact_id()

-- name: position
SELECT pg_current_wal_flush_lsn()::text AS position

-- name: reaches
SELECT %(restart)s::pg_lsn <= %(end)s::pg_lsn AS reaches

-- name: erasures
SELECT certificate_id, workspace_id, target, name, document_ids, erased_at, erased_by
FROM footnote.erasures WHERE workspace_id = %(workspace_id)s ORDER BY erased_at, certificate_id

-- name: count_documents
SELECT count(*) AS documents FROM footnote.documents WHERE workspace_id = %(workspace_id)s

-- name: files
SELECT DISTINCT blob_key FROM footnote.document_versions
WHERE workspace_id = %(workspace_id)s AND blob_key <> '' ORDER BY blob_key

-- name: is_empty
SELECT to_regnamespace('footnote') IS NULL AS empty

-- name: drop_schema
DROP SCHEMA IF EXISTS footnote CASCADE

-- name: role_exists
SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = 'footnote_app') AS found

-- name: create_role
CREATE ROLE footnote_app NOSUPERUSER NOBYPASSRLS

-- name: create_extension
CREATE EXTENSION IF NOT EXISTS vector
