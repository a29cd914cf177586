-- migration: expand
-- The evaluation runs that a workspace keeps, with what came of each question.
-- Safe before a deploy: it only adds.

CREATE TABLE evaluation_runs (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    run_id uuid NOT NULL,
    golden_name text NOT NULL,
    golden text NOT NULL,
    setup text NOT NULL,
    k integer NOT NULL CHECK (k BETWEEN 1 AND 200),
    questions integer NOT NULL CHECK (questions > 0),
    figures jsonb NOT NULL,
    -- Questions with what came of each, encrypted where content is.
    outcomes jsonb NOT NULL,
    kept_by text NOT NULL,
    kept_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (workspace_id, run_id)
);
COMMENT ON COLUMN evaluation_runs.golden IS 'A digest, which differs when the questions do.';
CREATE INDEX evaluation_runs_recent ON evaluation_runs (workspace_id, kept_at, run_id);

ALTER TABLE evaluation_runs ENABLE ROW LEVEL SECURITY;
ALTER TABLE evaluation_runs FORCE ROW LEVEL SECURITY;
CREATE POLICY within_workspace ON evaluation_runs USING (workspace_id = current_workspace());
GRANT SELECT, INSERT, UPDATE, DELETE ON evaluation_runs TO footnote_app;
