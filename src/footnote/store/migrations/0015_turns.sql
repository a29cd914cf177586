-- migration: expand
-- Finds the workspaces that wait, and the first job of each, without reading the queue.
-- Safe before a deploy: it only adds.

CREATE INDEX procrastinate_jobs_turns
    ON procrastinate_jobs ((coalesce(args ->> 'workspace_id', '')), priority DESC, id)
    WHERE status = 'todo';
