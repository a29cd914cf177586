-- migration: expand
-- Sources that a workspace follows by itself: where they are, when they run, and how the last went.
-- Safe before a deploy: it only adds.

CREATE TABLE workspace_sources (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    source_id uuid NOT NULL,
    place text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('folder', 'web', 'objects', 'mailbox')),
    collection text NOT NULL,
    every_minutes integer CHECK (every_minutes > 0),
    delete_missing boolean NOT NULL,
    -- Encrypted in every workspace.
    secret text,
    anywhere boolean NOT NULL,
    state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'paused')),
    job_id uuid,
    added_by text NOT NULL,
    added_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    started_at timestamptz,
    ended_at timestamptz,
    next_run_at timestamptz,
    seen integer NOT NULL DEFAULT 0,
    added integer NOT NULL DEFAULT 0,
    changed integer NOT NULL DEFAULT 0,
    removed integer NOT NULL DEFAULT 0,
    failed integer NOT NULL DEFAULT 0,
    last_error text,
    PRIMARY KEY (workspace_id, source_id),
    UNIQUE (workspace_id, place, collection)
);
COMMENT ON COLUMN workspace_sources.anywhere IS
    'Named by the operator on the machine itself, who may name any place.';
COMMENT ON COLUMN workspace_sources.job_id IS
    'The one job that may run it; whatever finds another here leaves it alone.';

ALTER TABLE workspace_sources ENABLE ROW LEVEL SECURITY;
ALTER TABLE workspace_sources FORCE ROW LEVEL SECURITY;
CREATE POLICY within_workspace ON workspace_sources USING (workspace_id = current_workspace());
GRANT SELECT, INSERT, UPDATE, DELETE ON workspace_sources TO footnote_app;
