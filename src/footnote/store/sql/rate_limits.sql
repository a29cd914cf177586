-- name: commit_lazily
-- A count that a crash of the server loses allows a few requests more; waiting for its disk would
-- cost each request more than the count.
SELECT set_config('synchronous_commit', 'off', true)

-- name: take
-- GCRA as one statement, by the clock of the database: processes need not agree on the time, and the
-- row's lock puts their requests in a row. What is refused changes nothing. See
-- footnote.domain.limits for the arithmetic.
WITH moment AS MATERIALIZED (SELECT clock_timestamp() AS now),
taken AS (
    INSERT INTO rate_limits AS known (workspace_id, caller, due)
    SELECT %(workspace_id)s, %(caller)s, now + make_interval(secs => %(step)s) FROM moment
    ON CONFLICT (workspace_id, caller) DO UPDATE
        SET due = greatest(known.due + make_interval(secs => %(step)s), EXCLUDED.due)
        WHERE known.due <= EXCLUDED.due + make_interval(secs => %(step)s * (%(burst)s - 2))
    RETURNING due
)
SELECT true AS allowed, extract(epoch FROM taken.due - moment.now)::float8 AS ahead
FROM taken, moment
UNION ALL
SELECT false, coalesce(extract(epoch FROM known.due - moment.now), %(step)s * %(burst)s)::float8
FROM moment LEFT JOIN rate_limits AS known
    ON known.workspace_id = %(workspace_id)s AND known.caller = %(caller)s
WHERE NOT EXISTS (SELECT FROM taken)

-- name: count_failure
-- Outside every workspace, and before one is known: a migration has both functions.
SELECT allowed, ahead FROM count_failure(%(source)s, %(step)s, %(burst)s)

-- name: failures_ahead
SELECT coalesce(failures_ahead(%(source)s), 0) AS ahead
