-- migration: expand
-- Clusters of chunks beside those of documents: which chunks lie together, by numbers alone. Whoever
-- may not see a document does not see where its chunks belong: every statement reads them beside it.

ALTER TABLE clusters ADD COLUMN members text NOT NULL DEFAULT 'documents'
    CHECK (members IN ('documents', 'chunks'));
COMMENT ON COLUMN clusters.members IS 'What it is a cluster of.';

-- When the chunks of a workspace were last told apart.
CREATE TABLE chunk_cluster_runs (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
    lane_id integer NOT NULL,
    run integer NOT NULL,
    chunks integer NOT NULL,
    last_number integer NOT NULL,
    clustered_at timestamptz NOT NULL DEFAULT now(),
    failure text
);
COMMENT ON COLUMN chunk_cluster_runs.last_number IS
    'The highest number of a chunk then: what has a higher one came later.';

CREATE TABLE chunk_cluster_members (
    workspace_id uuid NOT NULL,
    chunk_no integer NOT NULL,
    granularity text NOT NULL CHECK (granularity IN ('coarse', 'middle', 'fine')),
    document_id uuid NOT NULL,
    run integer NOT NULL,
    cluster_id uuid,
    PRIMARY KEY (workspace_id, chunk_no, granularity),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);
COMMENT ON COLUMN chunk_cluster_members.cluster_id IS
    'NULL for an outlier; one of a cluster that is no more counts as one, too.';
CREATE INDEX chunk_cluster_members_of_cluster ON chunk_cluster_members (workspace_id, cluster_id);
CREATE INDEX chunk_cluster_members_of_document
    ON chunk_cluster_members (workspace_id, document_id, granularity) INCLUDE (chunk_no, cluster_id);

ALTER TABLE chunk_cluster_runs ENABLE ROW LEVEL SECURITY;
ALTER TABLE chunk_cluster_members ENABLE ROW LEVEL SECURITY;
ALTER TABLE chunk_cluster_runs FORCE ROW LEVEL SECURITY;
ALTER TABLE chunk_cluster_members FORCE ROW LEVEL SECURITY;
CREATE POLICY within_workspace ON chunk_cluster_runs USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON chunk_cluster_members USING (workspace_id = current_workspace());
GRANT SELECT, INSERT, UPDATE, DELETE ON chunk_cluster_runs, chunk_cluster_members TO footnote_app;
