-- migration: expand
-- What documents are about, so that a search can ask first which of them promise most.
-- Safe before a deploy: it only adds. Documents published before have no row and are searched
-- whatever a routed search thinks of the others.

CREATE TABLE document_embeddings (
    workspace_id uuid NOT NULL,
    lane_id integer NOT NULL,
    first_chunk integer NOT NULL,  -- stands for the document in posting lists too
    end_chunk integer NOT NULL,
    document_id uuid NOT NULL,
    length integer NOT NULL,       -- analysed terms of title, summary, sections and keywords
    embedding halfvec NOT NULL,    -- of title, summary and keywords
    PRIMARY KEY (workspace_id, lane_id, first_chunk),
    FOREIGN KEY (workspace_id, lane_id) REFERENCES lanes ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);
CREATE UNIQUE INDEX document_embeddings_document
    ON document_embeddings (workspace_id, document_id, lane_id);

ALTER TABLE document_embeddings ENABLE ROW LEVEL SECURITY;
ALTER TABLE document_embeddings FORCE ROW LEVEL SECURITY;
CREATE POLICY within_workspace ON document_embeddings USING (workspace_id = current_workspace());
GRANT SELECT, INSERT, UPDATE, DELETE ON document_embeddings TO footnote_app;
