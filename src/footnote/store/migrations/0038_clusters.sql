-- migration: expand
-- Clusters of documents at several granularities: which documents lie together, by ids alone, and
-- what a cluster is called.
-- Safe before a deploy: it only adds.

-- When all of a workspace's documents were last told apart.
CREATE TABLE cluster_runs (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
    lane_id integer NOT NULL,
    run integer NOT NULL,
    documents integer NOT NULL,
    last_number integer NOT NULL,
    clustered_at timestamptz NOT NULL DEFAULT now(),
    failure text
);
COMMENT ON COLUMN cluster_runs.last_number IS
    'The highest first chunk of a document then: what has a higher one came later.';

CREATE TABLE clusters (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    cluster_id uuid NOT NULL,
    granularity text NOT NULL CHECK (granularity IN ('coarse', 'middle', 'fine')),
    since timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, cluster_id)
);

-- What a cluster is called, for who sees all its documents; gone once a document that it was taken
-- from is gone or changed.
CREATE TABLE cluster_names (
    workspace_id uuid NOT NULL,
    cluster_id uuid NOT NULL,
    -- The label and what made it; encrypted where content is.
    name jsonb NOT NULL,
    PRIMARY KEY (workspace_id, cluster_id),
    FOREIGN KEY (workspace_id, cluster_id) REFERENCES clusters ON DELETE CASCADE
);

-- The documents that a name was taken from.
CREATE TABLE cluster_name_sources (
    workspace_id uuid NOT NULL,
    document_id uuid NOT NULL,
    cluster_id uuid NOT NULL,
    PRIMARY KEY (workspace_id, document_id, cluster_id),
    FOREIGN KEY (workspace_id, cluster_id) REFERENCES cluster_names ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);
CREATE INDEX cluster_name_sources_of_cluster ON cluster_name_sources (workspace_id, cluster_id);

CREATE TABLE cluster_members (
    workspace_id uuid NOT NULL,
    document_id uuid NOT NULL,
    granularity text NOT NULL CHECK (granularity IN ('coarse', 'middle', 'fine')),
    -- Of the version whose vector was looked at.
    first_chunk integer NOT NULL,
    run integer NOT NULL,
    cluster_id uuid,
    PRIMARY KEY (workspace_id, document_id, granularity),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);
COMMENT ON COLUMN cluster_members.cluster_id IS
    'NULL for an outlier; one of a cluster that is no more counts as one, too.';
CREATE INDEX cluster_members_of_cluster ON cluster_members (workspace_id, cluster_id);
CREATE INDEX cluster_members_of_granularity
    ON cluster_members (workspace_id, granularity, document_id) INCLUDE (cluster_id, first_chunk);

ALTER TABLE cluster_runs ENABLE ROW LEVEL SECURITY;
ALTER TABLE clusters ENABLE ROW LEVEL SECURITY;
ALTER TABLE cluster_names ENABLE ROW LEVEL SECURITY;
ALTER TABLE cluster_name_sources ENABLE ROW LEVEL SECURITY;
ALTER TABLE cluster_members ENABLE ROW LEVEL SECURITY;
ALTER TABLE cluster_runs FORCE ROW LEVEL SECURITY;
ALTER TABLE clusters FORCE ROW LEVEL SECURITY;
ALTER TABLE cluster_names FORCE ROW LEVEL SECURITY;
ALTER TABLE cluster_name_sources FORCE ROW LEVEL SECURITY;
ALTER TABLE cluster_members FORCE ROW LEVEL SECURITY;

-- Whoever may not see a document does not see where it belongs.
CREATE POLICY within_workspace ON cluster_runs USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON clusters USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON cluster_names USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON cluster_name_sources USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON cluster_members
    USING (
        workspace_id = current_workspace()
        AND (
            '*' = ANY ((SELECT current_access())::text[])
            OR EXISTS (
                SELECT FROM documents
                WHERE documents.workspace_id = cluster_members.workspace_id
                    AND documents.document_id = cluster_members.document_id
            )
        )
    )
    WITH CHECK (workspace_id = current_workspace());

GRANT SELECT, INSERT, UPDATE, DELETE
    ON cluster_runs, clusters, cluster_names, cluster_name_sources, cluster_members TO footnote_app;
