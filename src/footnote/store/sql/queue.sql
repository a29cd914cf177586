-- name: enqueue
SELECT procrastinate_defer_jobs_v1(ARRAY[
    ROW(%(queue)s, %(task)s, 0, %(lock)s, %(queueing_lock)s, %(args)s, %(scheduled_at)s)
    ::procrastinate_job_to_defer_v1
])

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
    ROW(%(queue)s, %(task)s, -10, %(lock)s, %(queueing_lock)s, %(args)s, %(scheduled_at)s)
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
