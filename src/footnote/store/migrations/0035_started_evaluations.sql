-- migration: expand
-- Evaluations that are asked by a worker: what was ordered, how far it is, and what came of each
-- question so far, so that a worker that takes over pays for none of them again.
-- Safe before a deploy: it only adds.

CREATE TABLE started_evaluations (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    run_id uuid NOT NULL,
    golden_name text NOT NULL,
    golden text NOT NULL,
    -- The golden set as lines of JSON, encrypted where content is.
    lines text NOT NULL,
    plan text,
    k integer NOT NULL CHECK (k BETWEEN 1 AND 200),
    questions integer NOT NULL CHECK (questions > 0),
    asked integer NOT NULL DEFAULT 0,
    cost_usd double precision NOT NULL DEFAULT 0,
    state text NOT NULL DEFAULT 'queued'
        CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
    failure text,
    started_by text NOT NULL,
    starter_groups text[] NOT NULL,
    starter_role text,
    starter_collections text[] NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at timestamptz,
    PRIMARY KEY (workspace_id, run_id)
);
COMMENT ON COLUMN started_evaluations.run_id IS 'Also of the run that is kept when it is done.';
COMMENT ON COLUMN started_evaluations.starter_role IS
    'With starter_groups and starter_collections: whose eyes the questions are asked with.';
CREATE INDEX started_evaluations_recent ON started_evaluations (workspace_id, started_at, run_id);
CREATE UNIQUE INDEX started_evaluations_one_at_a_time ON started_evaluations (workspace_id)
    WHERE state IN ('queued', 'running');

CREATE TABLE started_outcomes (
    workspace_id uuid NOT NULL,
    run_id uuid NOT NULL,
    question_no integer NOT NULL,
    -- A question with what came of it, encrypted where content is.
    outcome jsonb NOT NULL,
    PRIMARY KEY (workspace_id, run_id, question_no),
    FOREIGN KEY (workspace_id, run_id) REFERENCES started_evaluations ON DELETE CASCADE
);

ALTER TABLE started_evaluations ENABLE ROW LEVEL SECURITY;
ALTER TABLE started_evaluations FORCE ROW LEVEL SECURITY;
CREATE POLICY within_workspace ON started_evaluations USING (workspace_id = current_workspace());
GRANT SELECT, INSERT, UPDATE, DELETE ON started_evaluations TO footnote_app;
ALTER TABLE started_outcomes ENABLE ROW LEVEL SECURITY;
ALTER TABLE started_outcomes FORCE ROW LEVEL SECURITY;
CREATE POLICY within_workspace ON started_outcomes USING (workspace_id = current_workspace());
GRANT SELECT, INSERT, UPDATE, DELETE ON started_outcomes TO footnote_app;
