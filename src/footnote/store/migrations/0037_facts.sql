-- migration: expand
-- Facts: statements extracted from published versions, with the places that they were taken from,
-- and an index of their own beside that of chunks.
-- Safe before a deploy: it only adds.

-- Which version of a document was read for facts, by what, and what came of it.
CREATE TABLE fact_sets (
    workspace_id uuid NOT NULL,
    document_id uuid NOT NULL,
    version integer NOT NULL,
    extractor text NOT NULL,
    facts integer NOT NULL DEFAULT 0,
    total_length bigint NOT NULL DEFAULT 0,
    -- int32 each, little-endian: analysed terms of each fact, by its ordinal.
    lengths bytea NOT NULL DEFAULT '',
    failure text,
    attempts integer NOT NULL DEFAULT 0,
    extracted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, document_id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);
COMMENT ON COLUMN fact_sets.extractor IS
    'Rules or model with its version, kinds and lane; the document is read again when it differs.';
CREATE INDEX fact_sets_totals ON fact_sets (workspace_id) INCLUDE (facts, total_length);

CREATE TABLE facts (
    workspace_id uuid NOT NULL,
    fact_id uuid NOT NULL,
    document_id uuid NOT NULL,
    version integer NOT NULL,
    since_version integer NOT NULL,
    ordinal integer NOT NULL,
    kind text NOT NULL,
    status text NOT NULL CHECK (status IN ('proposed', 'confirmed', 'rejected', 'superseded')),
    -- Subject, predicate, object, statement and qualifiers; encrypted where content is.
    content jsonb NOT NULL,
    -- Pairs of offsets in the canonical text of the version.
    spans jsonb NOT NULL,
    confidence real NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    extractor text NOT NULL,
    valid_from date,
    valid_to date,
    negated boolean NOT NULL DEFAULT false,
    -- Keyed hashes, so that facts are compared without their words.
    same_key bytea NOT NULL CHECK (octet_length(same_key) = 16),
    merge_key bytea NOT NULL CHECK (octet_length(merge_key) = 16),
    claim_key bytea NOT NULL CHECK (octet_length(claim_key) = 16),
    value_key bytea NOT NULL CHECK (octet_length(value_key) = 16),
    comparable boolean NOT NULL,
    -- Facts of several documents that say the same share a group.
    group_id uuid NOT NULL,
    decided_by text,
    decided_at timestamptz,
    extracted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, fact_id),
    UNIQUE (workspace_id, document_id, version, ordinal),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);
COMMENT ON COLUMN facts.since_version IS 'The version that it was first read in.';
CREATE INDEX facts_same ON facts (workspace_id, same_key);
CREATE INDEX facts_merge ON facts (workspace_id, merge_key);
CREATE INDEX facts_claim ON facts (workspace_id, claim_key) INCLUDE (value_key)
    WHERE comparable AND status IN ('proposed', 'confirmed');
CREATE INDEX facts_group ON facts (workspace_id, group_id);

CREATE TABLE fact_embeddings (
    workspace_id uuid NOT NULL,
    lane_id integer NOT NULL,
    fact_id uuid NOT NULL,
    embedding halfvec NOT NULL,
    PRIMARY KEY (workspace_id, lane_id, fact_id),
    FOREIGN KEY (workspace_id, lane_id) REFERENCES lanes ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, fact_id) REFERENCES facts ON DELETE CASCADE
);

-- The words of a document's facts: a document is a segment that goes with it.
CREATE TABLE fact_postings (
    workspace_id uuid NOT NULL,
    term integer NOT NULL,         -- keyed hash: no word can be read from it
    document_id uuid NOT NULL,
    ordinals bytea NOT NULL,       -- int32 each, little-endian, ascending
    frequencies bytea NOT NULL,    -- uint16 each, little-endian
    PRIMARY KEY (workspace_id, term, document_id),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);
CREATE INDEX fact_postings_of_document ON fact_postings (workspace_id, document_id);

ALTER TABLE fact_sets ENABLE ROW LEVEL SECURITY;
ALTER TABLE facts ENABLE ROW LEVEL SECURITY;
ALTER TABLE fact_embeddings ENABLE ROW LEVEL SECURITY;
ALTER TABLE fact_postings ENABLE ROW LEVEL SECURITY;
ALTER TABLE fact_sets FORCE ROW LEVEL SECURITY;
ALTER TABLE facts FORCE ROW LEVEL SECURITY;
ALTER TABLE fact_embeddings FORCE ROW LEVEL SECURITY;
ALTER TABLE fact_postings FORCE ROW LEVEL SECURITY;

-- Whoever may not see a document sees none of its facts. Totals, vectors and lists of words tell
-- nothing by themselves: like those of chunks they are read by way of facts and documents.
CREATE POLICY within_workspace ON fact_sets USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON fact_embeddings USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON fact_postings USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON facts
    USING (
        workspace_id = current_workspace()
        AND (
            '*' = ANY ((SELECT current_access())::text[])
            OR EXISTS (
                SELECT FROM documents
                WHERE documents.workspace_id = facts.workspace_id
                    AND documents.document_id = facts.document_id
            )
        )
    )
    WITH CHECK (workspace_id = current_workspace());

GRANT SELECT, INSERT, UPDATE, DELETE ON fact_sets, facts, fact_embeddings, fact_postings
    TO footnote_app;
