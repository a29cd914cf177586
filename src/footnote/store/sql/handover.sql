-- name: take_over
-- One statement, so that of several workers that look one takes a job, and none takes it from
-- another that lives. A job whose worker has died before is worked on beside no other such job.
UPDATE procrastinate_jobs AS job SET
    status = 'todo', attempts = job.attempts + 1, worker_id = NULL,
    scheduled_at = now() + make_interval(
        secs => CASE WHEN job.attempts > 0 THEN least(2 ^ job.attempts, 60) ELSE 0 END
    ),
    lock = CASE
        WHEN job.task_name = %(task)s AND job.attempts + 1 >= %(suspect_after)s THEN %(lock)s
        ELSE job.lock
    END
FROM (
    SELECT id FROM procrastinate_jobs AS held
    WHERE held.status = 'doing' AND NOT EXISTS (
        SELECT FROM procrastinate_workers AS worker
        WHERE worker.id = held.worker_id
            AND worker.last_heartbeat >= now() - make_interval(secs => %(silence_seconds)s)
    )
    FOR UPDATE OF held SKIP LOCKED
) AS stalled
WHERE job.id = stalled.id
RETURNING job.id, job.task_name, job.attempts

-- name: excuse
-- Whoever puts the job back, now or after this process was killed, counts this try again.
UPDATE procrastinate_jobs SET attempts = attempts - 1
WHERE id = ANY (%(job_ids)s::bigint[]) AND status = 'doing'

-- name: worker_lives
SELECT EXISTS (
    SELECT FROM procrastinate_workers
    WHERE last_heartbeat >= now() - make_interval(secs => %(silence_seconds)s)
) AS lives
