-- migration: expand
-- Finds what waits under a lock without reading the queue.
-- Safe before a deploy: it only adds.

CREATE INDEX procrastinate_jobs_waiting ON procrastinate_jobs (lock) WHERE status = 'todo';
