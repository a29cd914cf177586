-- name: create_table
CREATE TABLE IF NOT EXISTS migrations (
    name text PRIMARY KEY,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now(),
    kind text CHECK (kind IN ('expand', 'contract')),
    needs integer,
    version text
)

-- name: keeps_kinds
SELECT EXISTS (
    SELECT FROM pg_attribute
    WHERE attrelid = to_regclass('footnote.migrations') AND attname = 'needs' AND NOT attisdropped
)

-- name: keep_kinds
ALTER TABLE migrations
    ADD COLUMN kind text CHECK (kind IN ('expand', 'contract')),
    ADD COLUMN needs integer,
    ADD COLUMN version text

-- name: note_kind
UPDATE migrations SET kind = %(kind)s, needs = %(needs)s WHERE name = %(name)s

-- name: record
INSERT INTO migrations (name, checksum, kind, needs, version)
VALUES (%(name)s, %(checksum)s, %(kind)s, %(needs)s, %(version)s)
ON CONFLICT (name) DO UPDATE SET checksum = EXCLUDED.checksum, kind = EXCLUDED.kind,
    needs = EXCLUDED.needs, version = EXCLUDED.version, applied_at = now()

-- name: of_newer_versions
SELECT name, kind, needs, version FROM footnote.migrations ORDER BY name

-- name: oldest_program
SELECT max(needs) FROM footnote.migrations

-- name: older_programs
-- What a program calls its connections every login may read.
SELECT count(*) FROM (
    SELECT substring(application_name FROM '^footnote/\S+ schema/(\d+)')::integer AS known
    FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
) AS program
WHERE known < %(needs)s

-- name: index_state
SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('footnote.' || quote_ident(%(name)s))

-- name: upkeep
SELECT * FROM footnote.upkeep_after_upgrade(%(format)s::smallint)

-- name: can_tell_upkeep
SELECT to_regprocedure('footnote.upkeep_after_upgrade(smallint)') IS NOT NULL

-- name: readers_to_pass_on
SELECT * FROM footnote.readers_to_pass_on() WHERE documents > 0

-- name: can_tell_readers
SELECT to_regprocedure('footnote.readers_to_pass_on()') IS NOT NULL AS found

-- name: lock_timeout
SELECT set_config('lock_timeout', %(timeout)s, %(local)s)

-- name: tables
-- Sizes as the planner has them; nothing is counted.
SELECT relname, greatest(reltuples, 0)::bigint, pg_total_relation_size(oid)
FROM pg_class WHERE relnamespace = to_regnamespace('footnote') AND relkind = 'r'

-- name: index_tables
SELECT indexes.relname, tables.relname
FROM pg_index
JOIN pg_class AS indexes ON indexes.oid = indexrelid
JOIN pg_class AS tables ON tables.oid = indrelid
WHERE indexes.relnamespace = to_regnamespace('footnote')
