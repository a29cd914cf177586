-- name: enqueue
SELECT procrastinate_defer_jobs_v1(ARRAY[
    ROW(%(queue)s, %(task)s, %(priority)s, %(lock)s, NULL, %(args)s, %(scheduled_at)s)
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

-- name: wants
-- Whether a setting is on: a switch, or one of several ways.
SELECT coalesce(
    (
        SELECT value NOT IN ('false'::jsonb, '"off"'::jsonb) FROM setting_changes
        WHERE workspace_id = %(workspace_id)s AND name = %(name)s
        ORDER BY change_no DESC LIMIT 1
    ),
    %(by_default)s::boolean
) AS wanted

-- name: is_enqueued
SELECT EXISTS (
    SELECT FROM procrastinate_jobs WHERE lock = %(lock)s AND status IN ('todo', 'doing')
) AS enqueued

-- name: take_turn
-- The next job for a worker. Workspaces take turns: the one of which this worker has fewest
-- documents in hand comes first, so that it waits for its own documents and for no others. What
-- somebody waits for goes before that; within a workspace priority and order decide, as in the
-- queue's own function, whose condition on locks this keeps: in two parts, each of which has an index.
WITH RECURSIVE waiting AS (
    (
        SELECT coalesce(args ->> 'workspace_id', '') AS workspace FROM procrastinate_jobs
        WHERE status = 'todo'
        ORDER BY coalesce(args ->> 'workspace_id', '') LIMIT 1
    )
    UNION ALL
    SELECT (
        SELECT coalesce(job.args ->> 'workspace_id', '') FROM procrastinate_jobs AS job
        WHERE job.status = 'todo' AND coalesce(job.args ->> 'workspace_id', '') > waiting.workspace
        ORDER BY coalesce(job.args ->> 'workspace_id', '') LIMIT 1
    )
    FROM waiting WHERE waiting.workspace IS NOT NULL
),
first_of_each AS MATERIALIZED (
    SELECT first.id, greatest(first.priority, 0) AS urgency,
        coalesce(held.documents, 0) AS documents, first.priority
    FROM waiting
    LEFT JOIN unnest(%(workspaces)s::text[], %(documents)s::integer[])
        AS held (workspace, documents) USING (workspace)
    CROSS JOIN LATERAL (
        SELECT job.id, job.priority FROM procrastinate_jobs AS job
        WHERE job.status = 'todo' AND coalesce(job.args ->> 'workspace_id', '') = waiting.workspace
            AND (job.scheduled_at IS NULL OR job.scheduled_at <= now())
            AND CASE WHEN %(queues)s::text[] IS NULL
                THEN job.queue_name <> %(set_aside)s
                ELSE job.queue_name = ANY (%(queues)s::text[])
            END
            AND (
                job.queue_name <> %(ingest)s OR %(room)s::text = 'any'
                OR (%(room)s::text = 'newcomers' AND held.documents IS NULL)
            )
            AND NOT EXISTS (
                SELECT FROM procrastinate_jobs AS other
                WHERE other.lock = job.lock AND other.status = 'doing'
            )
            AND NOT EXISTS (
                SELECT FROM procrastinate_jobs AS other
                WHERE other.lock = job.lock AND other.status = 'todo' AND (
                    other.priority > job.priority
                    OR (other.priority = job.priority AND other.id < job.id)
                )
            )
        ORDER BY job.priority DESC, job.id LIMIT 1
    ) AS first
    -- More than one, so that workers that look at the same moment do not come away with nothing.
    ORDER BY urgency DESC, documents, first.priority DESC, first.id LIMIT 16
),
taken AS (
    SELECT job.id FROM first_of_each JOIN procrastinate_jobs AS job USING (id)
    WHERE job.status = 'todo'
    ORDER BY first_of_each.urgency DESC, first_of_each.documents, job.priority DESC, job.id
    LIMIT 1
    FOR UPDATE OF job SKIP LOCKED
)
UPDATE procrastinate_jobs AS job SET status = 'doing', worker_id = %(worker_id)s
FROM taken WHERE job.id = taken.id
RETURNING job.id, job.status, job.task_name, job.priority, job.lock, job.queueing_lock, job.args,
    job.scheduled_at, job.queue_name, job.attempts, job.worker_id

-- name: hold_presence
-- Shared, since the server may still hold that of a connection that was lost. It frees it when the
-- process ends, however it ends. A machine that is gone is noticed by
-- the probes of TCP, which sockets of the same machine do without.
SELECT pg_advisory_lock_shared(%(presence)s, %(worker_id)s::integer),
    set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '2', false),
    set_config('tcp_keepalives_count', '3', false)

-- name: beat
UPDATE procrastinate_workers SET last_heartbeat = now() WHERE id = %(worker_id)s

-- name: stalled_jobs
-- What workers that fell silent have in hand; of several that look, one takes a job. Who asks
-- lives, however long its event loop was held up, and so does for a while whose presence is held:
-- it is slow. Nobody is judged before a server that has just started has had time to hear all.
SELECT held.id, held.worker_id, held.task_name AS task, held.attempts, held.args
FROM procrastinate_jobs AS held
WHERE held.status = 'doing'
    AND pg_postmaster_start_time() <= now() - make_interval(secs => %(silence_seconds)s)
    AND NOT coalesce(held.worker_id = ANY (%(own)s::bigint[]), false)
    AND NOT EXISTS (
        SELECT FROM procrastinate_workers AS worker
        WHERE worker.id = held.worker_id AND worker.last_heartbeat >= now() - make_interval(
            secs => CASE WHEN EXISTS (
                SELECT FROM pg_locks
                WHERE locktype = 'advisory' AND objsubid = 2
                    AND classid::bigint = %(presence)s AND objid::bigint = worker.id
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            ) THEN %(patience)s * %(silence_seconds)s ELSE %(silence_seconds)s END
        )
    )
FOR UPDATE OF held SKIP LOCKED

-- name: begun_bytes
-- The size of a file whose ingestion had begun. A version that waits, was replaced, rests or is
-- gone is no work that a process could die of.
SELECT byte_size FROM documents
WHERE workspace_id = %(workspace_id)s::uuid AND document_id = %(document_id)s::uuid
    AND version = %(version)s AND status = 'ingesting'

-- name: recover_job
UPDATE procrastinate_jobs SET
    status = 'todo', worker_id = NULL, attempts = %(attempts)s,
    scheduled_at = now() + make_interval(
        secs => CASE WHEN attempts > 0 THEN least(2 ^ attempts, 60) ELSE 0 END
    ),
    queue_name = coalesce(%(queue)s, queue_name), priority = coalesce(%(priority)s, priority)
WHERE id = %(job_id)s

-- name: set_aside_waits
SELECT EXISTS (
    SELECT FROM procrastinate_jobs
    WHERE queue_name = %(set_aside)s AND status = 'todo'
        AND (scheduled_at IS NULL OR scheduled_at <= now())
) AS waits

-- name: refund_attempts
-- Whoever puts the job back, now or after this process was killed, counts this try again.
UPDATE procrastinate_jobs SET attempts = attempts - 1
WHERE id = ANY (%(job_ids)s::bigint[]) AND status = 'doing'

-- name: worker_lives
-- Heard lately, or slow, as jobs are judged that are in hand.
SELECT EXISTS (
    SELECT FROM procrastinate_workers AS worker
    WHERE worker.last_heartbeat >= now() - make_interval(
        secs => CASE WHEN EXISTS (
            SELECT FROM pg_locks
            WHERE locktype = 'advisory' AND objsubid = 2
                AND classid::bigint = %(presence)s AND objid::bigint = worker.id
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        ) THEN %(patience)s * %(silence_seconds)s ELSE %(silence_seconds)s END
    )
) AS lives

-- name: put_back
-- Without counting a try: what failed was no fault of what the job is about.
UPDATE procrastinate_jobs SET
    status = 'todo', worker_id = NULL, scheduled_at = now() + make_interval(secs => %(seconds)s)
WHERE id = ANY (%(job_ids)s::bigint[]) AND status = 'doing'
    -- Others forget a worker that was silent for long.
    AND (worker_id = %(worker_id)s OR worker_id IS NULL)

-- name: put_back_all
-- The same of a worker that has ended in a process that lives; it may have been given a job just when
-- the database went away, and not know it.
UPDATE procrastinate_jobs SET
    status = 'todo', worker_id = NULL, scheduled_at = now() + make_interval(secs => %(seconds)s)
WHERE status = 'doing' AND (
    worker_id = %(worker_id)s OR (worker_id IS NULL AND id = ANY (%(job_ids)s::bigint[]))
)

-- name: queue_state
-- Over a connection that has no search path set.
SELECT
    known.queue,
    coalesce(waiting, 0) AS waiting,
    coalesce(working, 0) AS working,
    coalesce(stalled, 0) AS stalled,
    coalesce(
        extract(epoch FROM now() - coalesce(oldest.scheduled_at, (
            SELECT min(at) FROM footnote.procrastinate_events WHERE job_id = oldest.id
        ))),
        0
    )::float8 AS oldest_seconds
FROM unnest(%(queues)s::text[]) AS known(queue) LEFT JOIN (
    SELECT
        queue_name,
        count(*) FILTER (WHERE job.status = 'todo') AS waiting,
        count(*) FILTER (WHERE job.status = 'doing') AS working,
        count(*) FILTER (
            WHERE job.status = 'doing' AND (
                worker.last_heartbeat IS NULL
                OR worker.last_heartbeat < now() - interval '1 minute'
            )
        ) AS stalled,
        min(job.id) FILTER (WHERE job.status = 'todo') AS oldest_id
    FROM footnote.procrastinate_jobs AS job
    LEFT JOIN footnote.procrastinate_workers AS worker ON worker.id = job.worker_id
    WHERE job.status = 'doing'
        OR job.status = 'todo' AND (job.scheduled_at IS NULL OR job.scheduled_at <= now())
    GROUP BY queue_name
) AS counted ON counted.queue_name = known.queue
LEFT JOIN footnote.procrastinate_jobs AS oldest ON oldest.id = oldest_id
ORDER BY known.queue
