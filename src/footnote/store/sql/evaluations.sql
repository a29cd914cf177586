-- name: keep
INSERT INTO evaluation_runs (
    workspace_id, run_id, golden_name, golden, setup, k, questions, figures, outcomes, kept_by
) VALUES (
    %(workspace_id)s, %(run_id)s, %(golden_name)s, %(golden)s, %(setup)s, %(k)s, %(questions)s,
    %(figures)s, %(outcomes)s, %(principal)s
)
RETURNING run_id, golden_name, golden, setup, k, questions, figures, kept_by, kept_at

-- name: trim
-- All but the newest.
DELETE FROM evaluation_runs WHERE workspace_id = %(workspace_id)s AND run_id IN (
    SELECT run_id FROM evaluation_runs WHERE workspace_id = %(workspace_id)s
    ORDER BY kept_at DESC, run_id DESC OFFSET %(kept)s
)

-- name: runs
SELECT run_id, golden_name, golden, setup, k, questions, figures, kept_by, kept_at
FROM evaluation_runs WHERE workspace_id = %(workspace_id)s
ORDER BY kept_at DESC, run_id DESC LIMIT %(limit)s

-- name: run
SELECT run_id, golden_name, golden, setup, k, questions, figures, outcomes, kept_by, kept_at
FROM evaluation_runs WHERE workspace_id = %(workspace_id)s AND run_id = %(run_id)s

-- name: remove
DELETE FROM evaluation_runs WHERE workspace_id = %(workspace_id)s AND run_id = %(run_id)s
