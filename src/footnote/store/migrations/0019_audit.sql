-- migration: expand
-- Who searched, read, changed, exported or deleted what, and which documents it showed.
-- Safe before a deploy: it only adds.

-- No foreign key on the workspace: the log outlives it.
CREATE TABLE audit_log (
    workspace_id uuid NOT NULL,
    entry_no bigint NOT NULL CHECK (entry_no > 0),
    act_id uuid NOT NULL,
    recorded_at timestamptz NOT NULL,
    principal text NOT NULL,
    credential text NOT NULL,
    act text NOT NULL,
    verb text NOT NULL,
    outcome text NOT NULL,
    error text,
    subject jsonb NOT NULL,
    documents uuid[] NOT NULL,
    passages text[] NOT NULL,
    query_digest bytea,
    previous_hash bytea NOT NULL CHECK (octet_length(previous_hash) = 32),
    entry_hash bytea NOT NULL CHECK (octet_length(entry_hash) = 32),
    PRIMARY KEY (workspace_id, entry_no)
);
COMMENT ON COLUMN audit_log.entry_hash IS
    'SHA-256 over the entry and the hash before it (footnote.security.audit).';

-- The log can only grow, so what was asked stands beside it and can be erased; the log keeps a
-- salted digest. No foreign key: it would lock a row of the log with each query.
CREATE TABLE audit_queries (
    workspace_id uuid NOT NULL,
    entry_no bigint NOT NULL,
    salt bytea NOT NULL,
    query text NOT NULL,
    PRIMARY KEY (workspace_id, entry_no)
);

ALTER TABLE audit_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_queries ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_log FORCE ROW LEVEL SECURITY;
ALTER TABLE audit_queries FORCE ROW LEVEL SECURITY;
CREATE POLICY within_workspace ON audit_log USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON audit_queries USING (workspace_id = current_workspace());

GRANT SELECT, INSERT ON audit_log TO footnote_app;
GRANT SELECT, INSERT, DELETE ON audit_queries TO footnote_app;
