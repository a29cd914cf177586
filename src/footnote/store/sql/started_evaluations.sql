-- name: start
INSERT INTO started_evaluations (
    workspace_id, run_id, golden_name, golden, lines, plan, k, questions,
    started_by, starter_groups, starter_role, starter_collections
) VALUES (
    %(workspace_id)s, %(run_id)s, %(golden_name)s, %(golden)s, %(lines)s, %(plan)s, %(k)s,
    %(questions)s, %(principal)s, %(starter_groups)s, %(starter_role)s, %(starter_collections)s
)
ON CONFLICT (workspace_id) WHERE state IN ('queued', 'running') DO NOTHING
RETURNING *

-- name: trim
-- All but the newest that have ended.
DELETE FROM started_evaluations WHERE workspace_id = %(workspace_id)s AND run_id IN (
    SELECT run_id FROM started_evaluations WHERE workspace_id = %(workspace_id)s
    ORDER BY started_at DESC, run_id DESC OFFSET %(kept)s
) AND state NOT IN ('queued', 'running')

-- name: list
SELECT run_id, golden_name, golden, plan, k, questions, asked, cost_usd, state, failure, started_by,
    started_at, ended_at
FROM started_evaluations WHERE workspace_id = %(workspace_id)s
ORDER BY started_at DESC, run_id DESC LIMIT %(limit)s

-- name: get
SELECT * FROM started_evaluations
WHERE workspace_id = %(workspace_id)s AND run_id = %(run_id)s

-- name: lines_of
SELECT run_id, golden_name, lines, questions FROM started_evaluations
WHERE workspace_id = %(workspace_id)s AND golden = %(golden)s
ORDER BY started_at DESC, run_id DESC LIMIT 1

-- name: take_up
UPDATE started_evaluations SET state = 'running'
WHERE workspace_id = %(workspace_id)s AND run_id = %(run_id)s AND state IN ('queued', 'running')
RETURNING *

-- name: outcomes
SELECT question_no, outcome FROM started_outcomes
WHERE workspace_id = %(workspace_id)s AND run_id = %(run_id)s ORDER BY question_no

-- name: go_on
-- Before its outcome is kept: nothing is kept of what was cancelled meanwhile.
UPDATE started_evaluations SET asked = asked + 1, cost_usd = cost_usd + %(cost_usd)s
WHERE workspace_id = %(workspace_id)s AND run_id = %(run_id)s AND state = 'running'

-- name: keep_outcome
INSERT INTO started_outcomes (workspace_id, run_id, question_no, outcome)
VALUES (%(workspace_id)s, %(run_id)s, %(question_no)s, %(outcome)s)

-- name: end
UPDATE started_evaluations
SET state = %(state)s, failure = %(failure)s, ended_at = clock_timestamp()
WHERE workspace_id = %(workspace_id)s AND run_id = %(run_id)s AND state IN ('queued', 'running')
RETURNING *

-- name: forget_outcomes
DELETE FROM started_outcomes WHERE workspace_id = %(workspace_id)s AND run_id = %(run_id)s
