-- name: waiting_here
-- Counts no further than the limit, over an index that holds nothing but what waits.
SELECT count(*) AS waiting FROM (
    SELECT FROM documents
    WHERE workspace_id = %(workspace_id)s AND status IN ('queued', 'ingesting')
    LIMIT %(limit)s
) AS counted

-- name: waiting_anywhere
SELECT count(*) AS waiting FROM (
    SELECT FROM procrastinate_jobs
    WHERE status = 'todo' AND queue_name = %(queue)s
    LIMIT %(limit)s
) AS counted

-- name: wait_of_the_next
-- How long the job that is taken up next has waited. Its first event is that it was enqueued.
SELECT extract(epoch FROM now() - event.at)::float8 AS seconds FROM (
    SELECT id FROM procrastinate_jobs
    WHERE status = 'todo' AND queue_name = %(queue)s
    ORDER BY priority DESC, id
    LIMIT 1
) AS next
JOIN procrastinate_events AS event ON event.job_id = next.id
ORDER BY event.id
LIMIT 1
