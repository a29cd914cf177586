-- name: enqueue
SELECT procrastinate_defer_jobs_v1(ARRAY[
    ROW(%(queue)s, %(task)s, 0, %(lock)s, NULL, %(args)s, %(scheduled_at)s)
    ::procrastinate_job_to_defer_v1
])

-- name: enqueue_in_turn
-- The more of a workspace waits, the later is what comes on top: a few files of one workspace are
-- not behind the thousands of another. Within a workspace the order stays.
SELECT procrastinate_defer_jobs_v1(ARRAY[
    ROW(
        %(queue)s, %(task)s, -floor(log(16, greatest(waiting, 1)))::integer, %(lock)s,
        NULL, %(args)s, %(scheduled_at)s
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
    ROW(%(queue)s, %(task)s, 10, %(lock)s, NULL, %(args)s, %(scheduled_at)s)
    ::procrastinate_job_to_defer_v1
])

-- name: enqueue_once
-- The queue's own lock on what waits stays out of this: a job that goes back to the queue breaks it
-- when the same waits again, and takes its worker along. Two at the same moment may both be queued;
-- they run one after the other, and the second finds nothing to do.
SELECT procrastinate_defer_jobs_v1(ARRAY[
    ROW(%(queue)s, %(task)s, %(priority)s, %(lock)s, NULL, %(args)s, %(scheduled_at)s)
    ::procrastinate_job_to_defer_v1
])
WHERE NOT EXISTS (
    SELECT FROM procrastinate_jobs WHERE lock = %(lock)s AND status = 'todo'
)
