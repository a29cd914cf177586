-- name: add
INSERT INTO workspace_sources (
    workspace_id, source_id, place, kind, collection, every_minutes, delete_missing, secret,
    anywhere, added_by, job_id, next_run_at, actor_groups, actor_role, actor_collections,
    actor_credential
) VALUES (
    %(workspace_id)s, %(source_id)s, %(place)s, %(kind)s, %(collection)s, %(every_minutes)s,
    %(delete_missing)s, %(secret)s, %(anywhere)s, %(principal)s, %(job_id)s, clock_timestamp(),
    %(actor_groups)s, %(actor_role)s, %(actor_collections)s, %(actor_credential)s
)
ON CONFLICT (workspace_id, place, collection) DO NOTHING
RETURNING *

-- name: count
SELECT count(*) AS sources FROM workspace_sources WHERE workspace_id = %(workspace_id)s

-- name: list
SELECT * FROM workspace_sources WHERE workspace_id = %(workspace_id)s ORDER BY added_at, source_id

-- name: get
SELECT * FROM workspace_sources
WHERE workspace_id = %(workspace_id)s AND source_id = %(source_id)s

-- name: due_now
UPDATE workspace_sources
SET state = 'waiting', job_id = %(job_id)s, next_run_at = clock_timestamp()
WHERE workspace_id = %(workspace_id)s AND source_id = %(source_id)s AND state <> 'running'
RETURNING *

-- name: pause
-- A run that is under way finds that it is no longer its own, and stops.
UPDATE workspace_sources
SET state = 'paused', job_id = NULL, next_run_at = NULL,
    ended_at = CASE WHEN state = 'running' THEN clock_timestamp() ELSE ended_at END
WHERE workspace_id = %(workspace_id)s AND source_id = %(source_id)s
RETURNING *

-- name: remove
DELETE FROM workspace_sources
WHERE workspace_id = %(workspace_id)s AND source_id = %(source_id)s

-- name: take_up
-- One that is running already went back to the queue, and goes on counting.
UPDATE workspace_sources SET
    started_at = CASE WHEN state = 'running' THEN started_at ELSE clock_timestamp() END,
    seen = 0, added = CASE WHEN state = 'running' THEN added ELSE 0 END,
    changed = CASE WHEN state = 'running' THEN changed ELSE 0 END,
    removed = CASE WHEN state = 'running' THEN removed ELSE 0 END, failed = 0,
    ended_at = NULL, next_run_at = NULL, state = 'running', last_error = NULL
WHERE workspace_id = %(workspace_id)s AND source_id = %(source_id)s AND job_id = %(job_id)s
RETURNING *

-- name: note
UPDATE workspace_sources SET
    seen = seen + %(seen)s, added = added + %(added)s, changed = changed + %(changed)s,
    removed = removed + %(removed)s, failed = failed + %(failed)s,
    last_error = coalesce(%(last_error)s, last_error)
WHERE workspace_id = %(workspace_id)s AND source_id = %(source_id)s AND job_id = %(job_id)s

-- name: end
UPDATE workspace_sources SET
    state = 'waiting', ended_at = clock_timestamp(), job_id = %(next_job_id)s,
    next_run_at = clock_timestamp() + make_interval(mins => every_minutes),
    last_error = coalesce(%(last_error)s, last_error)
WHERE workspace_id = %(workspace_id)s AND source_id = %(source_id)s AND job_id = %(job_id)s
RETURNING next_run_at
