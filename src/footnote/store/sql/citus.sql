-- name: version
-- The function comes with the extension and is on its search path.
SELECT to_regprocedure('citus_version()') IS NOT NULL AS installed

-- name: version_text
SELECT citus_version() AS version

-- name: tables
SELECT class.relname AS name, pg_total_relation_size(class.oid) AS size_bytes,
    format_type(tenant.atttypid, tenant.atttypmod) AS tenant_type, tenant.attnotnull AS tenant_set
FROM pg_class AS class
LEFT JOIN pg_attribute AS tenant ON tenant.attrelid = class.oid
    AND tenant.attname = 'workspace_id' AND NOT tenant.attisdropped
WHERE class.relnamespace = 'footnote'::regnamespace AND class.relkind IN ('r', 'p')
ORDER BY class.relname

-- name: unique_keys
SELECT class.relname AS table_name, index_class.relname AS name, ARRAY(
    SELECT COALESCE(attribute.attname::text, '')
    FROM unnest(key.indkey::smallint[]) WITH ORDINALITY AS column_of (attnum, place)
    LEFT JOIN pg_attribute AS attribute
        ON attribute.attrelid = class.oid AND attribute.attnum = column_of.attnum
    WHERE place <= key.indnkeyatts
    ORDER BY place
) AS columns
FROM pg_index AS key
JOIN pg_class AS class ON class.oid = key.indrelid
JOIN pg_class AS index_class ON index_class.oid = key.indexrelid
WHERE class.relnamespace = 'footnote'::regnamespace AND (key.indisunique OR key.indisexclusion)
ORDER BY class.relname, index_class.relname

-- name: foreign_keys
SELECT class.relname AS table_name, key.conname AS name, target.relname AS target,
    'workspace_id' = ANY (own.columns) AND 'workspace_id' = ANY (theirs.columns)
        AND array_position(own.columns, 'workspace_id')
            = array_position(theirs.columns, 'workspace_id') AS within_workspace,
    key.confdeltype IN ('n', 'd') OR key.confupdtype IN ('n', 'd') AS sets_columns
FROM pg_constraint AS key
JOIN pg_class AS class ON class.oid = key.conrelid
JOIN pg_class AS target ON target.oid = key.confrelid
CROSS JOIN LATERAL (
    SELECT array_agg(attname::text ORDER BY place) AS columns
    FROM unnest(key.conkey) WITH ORDINALITY AS column_of (attnum, place)
    JOIN pg_attribute AS attribute
        ON attribute.attrelid = key.conrelid AND attribute.attnum = column_of.attnum
) AS own
CROSS JOIN LATERAL (
    SELECT array_agg(attname::text ORDER BY place) AS columns
    FROM unnest(key.confkey) WITH ORDINALITY AS column_of (attnum, place)
    JOIN pg_attribute AS attribute
        ON attribute.attrelid = key.confrelid AND attribute.attnum = column_of.attnum
) AS theirs
WHERE key.contype = 'f' AND class.relnamespace = 'footnote'::regnamespace
ORDER BY class.relname, key.conname

-- name: policies
-- Those that hold a subquery, and what they would be with the names of the caller read for each row.
SELECT class.relname AS table_name, policy.polname AS name, plain.seen, plain.checked,
    concat_ws(' ', plain.seen, plain.checked) ~ '\mSELECT\M' AS asks
FROM pg_policy AS policy
JOIN pg_class AS class ON class.oid = policy.polrelid
CROSS JOIN LATERAL (
    SELECT pg_get_expr(policy.polqual, class.oid), pg_get_expr(policy.polwithcheck, class.oid)
) AS written (seen, checked)
CROSS JOIN LATERAL (
    SELECT regexp_replace(written.seen, names.read_once, 'footnote.current_access()', 'g'),
        regexp_replace(written.checked, names.read_once, 'footnote.current_access()', 'g')
    FROM (VALUES ('\( SELECT (footnote\.)?current_access\(\) AS current_access\)')) AS names (read_once)
) AS plain (seen, checked)
WHERE class.relnamespace = 'footnote'::regnamespace
    AND concat_ws(' ', written.seen, written.checked) ~ '\mSELECT\M'
ORDER BY class.relname, policy.polname

-- name: triggers
SELECT class.relname AS table_name, trigger.tgname AS name, function.proname AS function
FROM pg_trigger AS trigger
JOIN pg_class AS class ON class.oid = trigger.tgrelid
JOIN pg_proc AS function ON function.oid = trigger.tgfoid
WHERE class.relnamespace = 'footnote'::regnamespace AND NOT trigger.tgisinternal
ORDER BY class.relname, trigger.tgname

-- name: functions
SELECT proname AS name, pg_get_functiondef(oid) AS definition FROM pg_proc
WHERE pronamespace = 'footnote'::regnamespace AND prokind = 'f'

-- name: placed
-- What Citus knows of; it calls no local table distributed.
SELECT class.relname AS name, placed.citus_table_type AS kind
FROM citus_tables AS placed
JOIN pg_class AS class ON class.oid = placed.table_name::oid
WHERE class.relnamespace = 'footnote'::regnamespace

-- name: is_set
SELECT current_database()::text AS database, EXISTS (
    SELECT FROM pg_db_role_setting AS setting
    JOIN pg_roles AS role ON role.oid = setting.setrole
    JOIN pg_database AS database ON database.oid = setting.setdatabase
    WHERE role.rolname = %(login)s AND database.datname = current_database()
        AND %(setting)s || '=' || %(value)s = ANY (setting.setconfig)
) AS found

-- name: owner
SELECT pg_get_userbyid(nspowner)::text AS owner FROM pg_namespace WHERE nspname = 'footnote'

-- name: allow_triggers
-- For the connection that distributes the tables, which began before the login was so set.
SET citus.enable_unsafe_triggers = 'on'

-- name: nodes
SELECT nodename AS host, nodeport AS port, isactive AS active, shouldhaveshards AS takes_shards,
    count(shards.shardid)::integer AS shards, COALESCE(sum(shards.shard_size), 0)::bigint AS size_bytes
FROM pg_dist_node AS node
LEFT JOIN citus_shards AS shards USING (nodename, nodeport)
WHERE noderole = 'primary'
GROUP BY nodename, nodeport, isactive, shouldhaveshards
ORDER BY nodename, nodeport

-- name: workspace
SELECT workspace_id, name FROM find_workspace(%(name)s)

-- name: placement
SELECT shards.shardid AS shard_id, shards.nodename AS host, shards.nodeport AS port,
    range.shardminvalue = range.shardmaxvalue AS isolated
FROM citus_shards AS shards
JOIN pg_dist_shard AS range ON range.shardid = shards.shardid
WHERE shards.table_name = 'footnote.workspaces'::regclass
    AND shards.shardid
        = get_shard_id_for_distribution_column('footnote.workspaces', %(workspace_id)s::uuid)

-- name: rebalancing
SELECT state::text AS state FROM citus_rebalance_status()
