-- migration: expand
-- Workspaces, and the rule that nothing of one is seen from another.
-- Safe before a deploy: it only adds.

CREATE FUNCTION current_workspace() RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE
RETURN NULLIF(current_setting('footnote.workspace_id', true), '')::uuid;

-- The names under which the acting principal may appear in an access list. '*' is the
-- system itself: jobs that act on a document whoever it is for.
CREATE FUNCTION current_access() RETURNS text[]
LANGUAGE sql STABLE PARALLEL SAFE
RETURN COALESCE(NULLIF(current_setting('footnote.access', true), '')::text[], '{}');

-- Names belong to the operator, not to a customer, so the directory is keyed by name. The
-- application role cannot read it; it resolves one name at a time through a function.
CREATE TABLE workspace_directory (
    name text PRIMARY KEY CHECK (name ~ '^[a-z0-9][a-z0-9_.-]{0,62}$'),
    workspace_id uuid NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE workspaces (
    workspace_id uuid PRIMARY KEY,
    name text NOT NULL,
    lexical_key bytea NOT NULL CHECK (octet_length(lexical_key) = 32),
    created_at timestamptz NOT NULL DEFAULT now()
);

-- The moving parts of a workspace's index. `generation` rises with every change that a
-- search could notice; what a reader has cached is valid for one generation.
CREATE TABLE index_states (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
    generation bigint NOT NULL DEFAULT 0,
    next_chunk integer NOT NULL DEFAULT 0,
    next_segment integer NOT NULL DEFAULT 0,
    hnsw_lane integer
);

CREATE TABLE lanes (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    lane_id integer NOT NULL,
    name text NOT NULL,
    provider text NOT NULL,
    model text NOT NULL,
    dimensions integer NOT NULL CHECK (dimensions BETWEEN 1 AND 4000),
    revision text NOT NULL,
    languages text[] NOT NULL DEFAULT '{}',
    state text NOT NULL CHECK (state IN ('active', 'building', 'retired')),
    PRIMARY KEY (workspace_id, lane_id)
);
CREATE UNIQUE INDEX one_active_lane ON lanes (workspace_id, name) WHERE state = 'active';

CREATE TABLE collections (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name text NOT NULL CHECK (name <> ''),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, name)
);

ALTER TABLE workspace_directory ENABLE ROW LEVEL SECURITY;
ALTER TABLE workspaces ENABLE ROW LEVEL SECURITY;
ALTER TABLE index_states ENABLE ROW LEVEL SECURITY;
ALTER TABLE lanes ENABLE ROW LEVEL SECURITY;
ALTER TABLE collections ENABLE ROW LEVEL SECURITY;
ALTER TABLE workspaces FORCE ROW LEVEL SECURITY;
ALTER TABLE index_states FORCE ROW LEVEL SECURITY;
ALTER TABLE lanes FORCE ROW LEVEL SECURITY;
ALTER TABLE collections FORCE ROW LEVEL SECURITY;

CREATE POLICY within_workspace ON workspaces USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON index_states USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON lanes USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON collections USING (workspace_id = current_workspace());

GRANT SELECT ON workspaces TO footnote_app;
GRANT SELECT, UPDATE ON index_states TO footnote_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON lanes, collections TO footnote_app;

-- Resolving a name and making a workspace reach over the wall, so they are functions of the
-- owner that do just that.
CREATE FUNCTION find_workspace(wanted text)
RETURNS TABLE (workspace_id uuid, name text, created_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
BEGIN ATOMIC
    SELECT d.workspace_id, d.name, d.created_at FROM workspace_directory d WHERE d.name = wanted;
END;

CREATE FUNCTION create_workspace(wanted text, fresh_id uuid, fresh_key bytea)
RETURNS TABLE (workspace_id uuid, name text, created_at timestamptz)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    outer_workspace text := COALESCE(current_setting('footnote.workspace_id', true), '');
BEGIN
    INSERT INTO workspace_directory (name, workspace_id) VALUES (wanted, fresh_id)
        ON CONFLICT ON CONSTRAINT workspace_directory_pkey DO NOTHING;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM set_config('footnote.workspace_id', fresh_id::text, true);
    INSERT INTO workspaces (workspace_id, name, lexical_key) VALUES (fresh_id, wanted, fresh_key);
    INSERT INTO index_states (workspace_id) VALUES (fresh_id);
    PERFORM set_config('footnote.workspace_id', outer_workspace, true);
    RETURN QUERY SELECT d.workspace_id, d.name, d.created_at
        FROM workspace_directory d WHERE d.workspace_id = fresh_id;
END;
$$;

REVOKE EXECUTE ON FUNCTION find_workspace, create_workspace FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_workspace, create_workspace TO footnote_app;
