-- migration: expand
-- Documents, their versions and what a worker has finished of them.
-- Safe before a deploy: it only adds.

CREATE TABLE documents (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    document_id uuid NOT NULL,
    collection text NOT NULL,
    external_id text,
    parent_id uuid,
    filename text NOT NULL,
    title text NOT NULL,
    media_type text NOT NULL,
    source_type text NOT NULL,
    byte_size bigint NOT NULL,
    content_sha256 bytea NOT NULL,
    status text NOT NULL CHECK (status IN ('queued', 'ingesting', 'indexed', 'failed')),
    stage text NOT NULL,
    failure jsonb,
    version integer NOT NULL,
    published_version integer,
    segment_id integer,
    chunks int4range NOT NULL DEFAULT 'empty',
    language text,
    document_class text NOT NULL DEFAULT 'generic',
    page_count integer,
    summary text NOT NULL DEFAULT '',
    keywords text[] NOT NULL DEFAULT '{}',
    sections text[] NOT NULL DEFAULT '{}',
    dates text[] NOT NULL DEFAULT '{}',
    metadata jsonb NOT NULL DEFAULT '{}',
    access text[],
    created_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, document_id),
    FOREIGN KEY (workspace_id, collection) REFERENCES collections,
    FOREIGN KEY (workspace_id, parent_id) REFERENCES documents ON DELETE CASCADE
);
-- Not unique: a document that is hidden from someone must not stop them from using its
-- external id, nor tell them that it is there. A lock makes it unique among the visible.
CREATE INDEX documents_external_id
    ON documents (workspace_id, collection, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX documents_content ON documents (workspace_id, content_sha256);
CREATE INDEX documents_recent ON documents (workspace_id, created_at DESC, document_id);
CREATE INDEX documents_parent ON documents (workspace_id, parent_id) WHERE parent_id IS NOT NULL;

COMMENT ON COLUMN documents.access IS
    'Principals and groups that may see the document; null means everyone in the workspace.';
COMMENT ON COLUMN documents.chunks IS
    'Chunk numbers of the published version; empty while nothing is published.';

CREATE TABLE document_versions (
    workspace_id uuid NOT NULL,
    document_id uuid NOT NULL,
    version integer NOT NULL,
    filename text NOT NULL,
    media_type text NOT NULL,
    byte_size bigint NOT NULL,
    content_sha256 bytea NOT NULL,
    blob_key text NOT NULL,
    canonical_text text,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, document_id, version),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);
-- A blob is shared by the versions that hold the same bytes and goes with the last of them.
CREATE INDEX document_versions_blob ON document_versions (workspace_id, content_sha256);

-- What a stage left for the next one, so that a crash resumes after it.
CREATE TABLE stage_results (
    workspace_id uuid NOT NULL,
    document_id uuid NOT NULL,
    version integer NOT NULL,
    stage text NOT NULL,
    payload bytea NOT NULL,
    PRIMARY KEY (workspace_id, document_id, version, stage),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);

ALTER TABLE documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE document_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE stage_results ENABLE ROW LEVEL SECURITY;
ALTER TABLE documents FORCE ROW LEVEL SECURITY;
ALTER TABLE document_versions FORCE ROW LEVEL SECURITY;
ALTER TABLE stage_results FORCE ROW LEVEL SECURITY;

CREATE POLICY within_workspace ON documents
    USING (
        workspace_id = current_workspace()
        AND (access IS NULL OR '*' = ANY (current_access()) OR access && current_access())
    )
    WITH CHECK (workspace_id = current_workspace());
CREATE POLICY within_workspace ON document_versions USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON stage_results USING (workspace_id = current_workspace());

GRANT SELECT, INSERT, UPDATE, DELETE ON documents, document_versions, stage_results
    TO footnote_app;
