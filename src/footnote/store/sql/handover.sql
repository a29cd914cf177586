-- name: take_over
-- One statement, so that of several workers that look one takes a job, and none takes it from
-- another that lives. Who asks lives, however long its event loop was held up. A document that
-- was in hand is set aside, to be tried in a process of its own. It cost its worker its life for
-- certain, and has had a try, if it was there alone.
WITH stalled AS (
    SELECT id, worker_id FROM procrastinate_jobs AS held
    WHERE held.status = 'doing'
        AND NOT coalesce(held.worker_id = ANY (%(own)s::bigint[]), false)
        AND NOT EXISTS (
        SELECT FROM procrastinate_workers AS worker
        WHERE worker.id = held.worker_id
            AND worker.last_heartbeat >= now() - make_interval(secs => %(silence_seconds)s)
    )
    FOR UPDATE OF held SKIP LOCKED
),
counted AS (
    SELECT stalled.id, job.task_name <> %(task)s OR count(*) FILTER (WHERE job.task_name = %(task)s)
        OVER (PARTITION BY stalled.worker_id) = 1 AS had_a_try
    FROM stalled JOIN procrastinate_jobs AS job USING (id)
)
UPDATE procrastinate_jobs AS job SET
    status = 'todo', worker_id = NULL,
    attempts = job.attempts + CASE WHEN counted.had_a_try THEN 1 ELSE 0 END,
    scheduled_at = now() + make_interval(
        secs => CASE WHEN job.attempts > 0 THEN least(2 ^ job.attempts, 60) ELSE 0 END
    ),
    queue_name = CASE WHEN job.task_name = %(task)s THEN %(set_aside)s ELSE job.queue_name END
FROM counted
WHERE job.id = counted.id
RETURNING job.id, job.task_name, job.attempts

-- name: set_aside_waits
SELECT EXISTS (
    SELECT FROM procrastinate_jobs
    WHERE queue_name = %(set_aside)s AND status = 'todo'
        AND (scheduled_at IS NULL OR scheduled_at <= now())
) AS waits

-- name: excuse
-- Whoever puts the job back, now or after this process was killed, counts this try again.
UPDATE procrastinate_jobs SET attempts = attempts - 1
WHERE id = ANY (%(job_ids)s::bigint[]) AND status = 'doing'

-- name: worker_lives
SELECT EXISTS (
    SELECT FROM procrastinate_workers
    WHERE last_heartbeat >= now() - make_interval(secs => %(silence_seconds)s)
) AS lives

-- name: put_back
-- Without counting a try: what failed was no fault of what the job is about.
UPDATE procrastinate_jobs SET
    status = 'todo', worker_id = NULL, scheduled_at = now() + make_interval(secs => %(seconds)s)
WHERE id = ANY (%(job_ids)s::bigint[]) AND worker_id = %(worker_id)s AND status = 'doing'
