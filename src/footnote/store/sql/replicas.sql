-- name: written
-- What every later read of the primary has, and a replica that has replayed as far.
SELECT
    pg_current_wal_insert_lsn()::text AS position,
    (SELECT system_identifier FROM pg_control_system()) AS cluster

-- name: replayed
-- A walreceiver is seen by everybody; how it fares is not.
SELECT
    pg_is_in_recovery() AS standby,
    pg_last_wal_replay_lsn()::text AS position,
    EXISTS (SELECT FROM pg_stat_get_wal_receiver() WHERE pid IS NOT NULL) AS streaming,
    (SELECT system_identifier FROM pg_control_system()) AS cluster
