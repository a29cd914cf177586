-- name: enqueue
SELECT procrastinate_defer_jobs_v1(ARRAY[
    ROW(%(queue)s, %(task)s, 0, %(lock)s, %(queueing_lock)s, %(args)s, %(scheduled_at)s)
    ::procrastinate_job_to_defer_v1
])

-- name: enqueue_in_turn
-- The more of a workspace waits, the later is what comes on top: a few files of one workspace are
-- not behind the thousands of another. Within a workspace the order stays.
SELECT procrastinate_defer_jobs_v1(ARRAY[
    ROW(
        %(queue)s, %(task)s, -floor(log(16, greatest(waiting, 1)))::integer, %(lock)s,
        %(queueing_lock)s, %(args)s, %(scheduled_at)s
    )::procrastinate_job_to_defer_v1
])
FROM (
    SELECT count(*)::numeric AS waiting FROM (
        SELECT FROM documents
        WHERE workspace_id = %(workspace_id)s AND status IN ('queued', 'ingesting')
        LIMIT 4096
    ) AS counted
) AS backlog

-- name: enqueue_before_others
-- Somebody waits for it.
SELECT procrastinate_defer_jobs_v1(ARRAY[
    ROW(%(queue)s, %(task)s, 10, %(lock)s, %(queueing_lock)s, %(args)s, %(scheduled_at)s)
    ::procrastinate_job_to_defer_v1
])

-- name: enqueue_once
-- The advisory lock makes look and insert one step; a unique violation would end the caller's
-- transaction.
WITH one_at_a_time AS MATERIALIZED (
    SELECT pg_advisory_xact_lock(hashtextextended(%(queueing_lock)s, 0))
)
SELECT procrastinate_defer_jobs_v1(ARRAY[
    ROW(%(queue)s, %(task)s, %(priority)s, %(lock)s, %(queueing_lock)s, %(args)s, %(scheduled_at)s)
    ::procrastinate_job_to_defer_v1
])
FROM one_at_a_time
WHERE NOT EXISTS (
    SELECT FROM procrastinate_jobs
    WHERE queueing_lock = %(queueing_lock)s AND status = 'todo'
)

-- name: is_waiting
SELECT EXISTS (
    SELECT FROM procrastinate_jobs
    WHERE queueing_lock = %(queueing_lock)s AND status = 'todo'
) AS waiting
