-- migration: expand
-- What models and stores were used for, day by day, and how much of it a workspace may use.
-- Safe before a deploy: it only adds.

CREATE TABLE usage (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    day date NOT NULL,
    kind text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    principal text COLLATE "C" NOT NULL,
    -- All zeros where it is about none; a part of a primary key cannot be null.
    conversation_id uuid NOT NULL,
    document_id uuid NOT NULL,
    requests bigint NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    units double precision NOT NULL,
    cost_usd numeric NOT NULL,
    unpriced_requests bigint NOT NULL,
    PRIMARY KEY (workspace_id, day, kind, model, principal, conversation_id, document_id)
) WITH (fillfactor = 70);
COMMENT ON TABLE usage IS
    'No foreign keys to documents and conversations: what they cost outlives them.';

CREATE TABLE budgets (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    measure text NOT NULL
        CHECK (measure IN ('cost_usd', 'tokens', 'documents', 'chunks', 'bytes')),
    period text NOT NULL CHECK (period IN ('day', 'month', 'total')),
    most double precision NOT NULL CHECK (most >= 0),
    warn_share double precision NOT NULL CHECK (warn_share > 0 AND warn_share <= 1),
    PRIMARY KEY (workspace_id, measure, period)
);

ALTER TABLE usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE usage FORCE ROW LEVEL SECURITY;
ALTER TABLE budgets ENABLE ROW LEVEL SECURITY;
ALTER TABLE budgets FORCE ROW LEVEL SECURITY;
CREATE POLICY within_workspace ON usage USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON budgets USING (workspace_id = current_workspace());
GRANT SELECT, INSERT, UPDATE ON usage TO footnote_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON budgets TO footnote_app;
