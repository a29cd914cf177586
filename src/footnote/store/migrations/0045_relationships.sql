-- migration: expand
-- Relationships: which entities of a document stand in one sentence, and by what a document is found
-- to belong with others. Edges between entities follow merges and splits, edges between documents need
-- no order in which documents come: both are joined when they are asked for.
-- Safe before a deploy: it only adds. Documents are read for entities once more, in the background.

CREATE TABLE entity_pairs (
    workspace_id uuid NOT NULL,
    document_id uuid NOT NULL,
    -- Ordinals in document_entities.
    first integer NOT NULL,
    second integer NOT NULL CHECK (first < second),
    weight real NOT NULL CHECK (weight > 0),
    -- Pairs of int32, little-endian: half-open offsets of the most telling sentences.
    spans bytea NOT NULL CHECK (octet_length(spans) >= 8),
    PRIMARY KEY (workspace_id, document_id, first, second),
    FOREIGN KEY (workspace_id, document_id, first) REFERENCES document_entities ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, document_id, second) REFERENCES document_entities ON DELETE CASCADE
);
CREATE INDEX entity_pairs_second ON entity_pairs (workspace_id, document_id, second);

CREATE TABLE document_keys (
    workspace_id uuid NOT NULL,
    -- Keyed hash of a title, a file name, a sentence, or the id of a mail.
    key bytea NOT NULL CHECK (octet_length(key) = 16),
    -- 0: the document is called so, 1: it names one that is, 2: it says this, 3: it answers this mail.
    role smallint NOT NULL CHECK (role BETWEEN 0 AND 3),
    document_id uuid NOT NULL,
    version integer NOT NULL,
    char_start integer NOT NULL,
    char_end integer NOT NULL CHECK (char_end > char_start),
    PRIMARY KEY (workspace_id, key, role, document_id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);
CREATE INDEX document_keys_of_document ON document_keys (workspace_id, document_id, role);

ALTER TABLE entity_pairs ENABLE ROW LEVEL SECURITY;
ALTER TABLE document_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE entity_pairs FORCE ROW LEVEL SECURITY;
ALTER TABLE document_keys FORCE ROW LEVEL SECURITY;

-- Both are read by way of documents that may be seen.
CREATE POLICY within_workspace ON entity_pairs USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON document_keys USING (workspace_id = current_workspace());

GRANT SELECT, INSERT, UPDATE, DELETE ON entity_pairs, document_keys TO footnote_app;
