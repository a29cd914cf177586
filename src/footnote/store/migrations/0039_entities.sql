-- migration: expand
-- Entities: what documents name, with every place where they do, linked across documents.
-- Safe before a deploy: it only adds.

-- Which version of a document was read for entities, by what, and what came of it.
CREATE TABLE entity_sets (
    workspace_id uuid NOT NULL,
    document_id uuid NOT NULL,
    version integer NOT NULL,
    extractor text NOT NULL,
    entities integer NOT NULL DEFAULT 0,
    mentions integer NOT NULL DEFAULT 0,
    failure text,
    attempts integer NOT NULL DEFAULT 0,
    extracted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, document_id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);

-- What a document names, once with all its mentions: some ten rows a page rather than a hundred.
CREATE TABLE document_entities (
    workspace_id uuid NOT NULL,
    document_id uuid NOT NULL,
    ordinal integer NOT NULL,
    version integer NOT NULL,
    entity_id uuid NOT NULL,
    kind text NOT NULL,
    -- Name, forms and normal forms; encrypted where content is.
    content jsonb NOT NULL,
    -- Pairs of int32, little-endian: half-open offsets in the canonical text, ascending.
    spans bytea NOT NULL,
    mentions integer NOT NULL,
    confidence real NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    -- Why its forms are of one entity.
    reasons text[] NOT NULL DEFAULT '{}',
    -- Why it is the entity that other documents name; null for the first of them.
    linked_by text,
    link_confidence real NOT NULL DEFAULT 1 CHECK (link_confidence BETWEEN 0 AND 1),
    -- Keyed hash of kind and name.
    name_key bytea NOT NULL CHECK (octet_length(name_key) = 16),
    PRIMARY KEY (workspace_id, document_id, ordinal),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);
CREATE INDEX document_entities_entity ON document_entities (workspace_id, entity_id);

-- By which what documents name is found: keyed hashes of names, of their words, and of identifiers.
CREATE TABLE entity_keys (
    workspace_id uuid NOT NULL,
    key bytea NOT NULL CHECK (octet_length(key) = 16),
    document_id uuid NOT NULL,
    ordinal integer NOT NULL,
    PRIMARY KEY (workspace_id, key, document_id, ordinal),
    FOREIGN KEY (workspace_id, document_id, ordinal) REFERENCES document_entities
        ON DELETE CASCADE
);
CREATE INDEX entity_keys_of_document ON entity_keys (workspace_id, document_id, ordinal);

-- Which entity a name is, because somebody said so: in one document, or (nil) wherever it stands.
CREATE TABLE entity_assignments (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name_key bytea NOT NULL CHECK (octet_length(name_key) = 16),
    document_id uuid NOT NULL,
    entity_id uuid NOT NULL,
    PRIMARY KEY (workspace_id, name_key, document_id)
);

CREATE TABLE entity_names (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    entity_id uuid NOT NULL,
    -- The name that somebody gave; encrypted where content is.
    name text NOT NULL,
    PRIMARY KEY (workspace_id, entity_id)
);

CREATE TABLE entity_decisions (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    decision_id uuid NOT NULL,
    act text NOT NULL CHECK (act IN ('merge', 'split', 'rename')),
    entity_id uuid NOT NULL,
    other_id uuid,
    -- What stood before, so that it can be undone; encrypted where content is.
    content jsonb NOT NULL,
    decided_by text NOT NULL,
    decided_at timestamptz NOT NULL DEFAULT now(),
    undone_at timestamptz,
    PRIMARY KEY (workspace_id, decision_id)
);
CREATE INDEX entity_decisions_entity ON entity_decisions (workspace_id, entity_id, decided_at);

ALTER TABLE entity_sets ENABLE ROW LEVEL SECURITY;
ALTER TABLE document_entities ENABLE ROW LEVEL SECURITY;
ALTER TABLE entity_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE entity_assignments ENABLE ROW LEVEL SECURITY;
ALTER TABLE entity_names ENABLE ROW LEVEL SECURITY;
ALTER TABLE entity_decisions ENABLE ROW LEVEL SECURITY;
ALTER TABLE entity_sets FORCE ROW LEVEL SECURITY;
ALTER TABLE document_entities FORCE ROW LEVEL SECURITY;
ALTER TABLE entity_keys FORCE ROW LEVEL SECURITY;
ALTER TABLE entity_assignments FORCE ROW LEVEL SECURITY;
ALTER TABLE entity_names FORCE ROW LEVEL SECURITY;
ALTER TABLE entity_decisions FORCE ROW LEVEL SECURITY;

-- Whoever may not see a document sees nothing of what it names. Keys tell nothing by themselves;
-- given names and decisions are read by way of entities that may be seen.
CREATE POLICY within_workspace ON entity_sets USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON entity_keys USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON entity_assignments USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON entity_names USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON entity_decisions USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON document_entities
    USING (
        workspace_id = current_workspace()
        AND (
            '*' = ANY ((SELECT current_access())::text[])
            OR EXISTS (
                SELECT FROM documents
                WHERE documents.workspace_id = document_entities.workspace_id
                    AND documents.document_id = document_entities.document_id
            )
        )
    )
    WITH CHECK (workspace_id = current_workspace());

GRANT SELECT, INSERT, UPDATE, DELETE
    ON entity_sets, document_entities, entity_keys, entity_assignments, entity_names,
        entity_decisions
    TO footnote_app;
