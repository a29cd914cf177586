-- migration: expand
-- The searchable side: chunks, vectors, and the inverted index as rows.
-- Safe before a deploy: it only adds.

CREATE TABLE chunks (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    chunk_no integer NOT NULL,
    document_id uuid NOT NULL,
    version integer NOT NULL,
    ordinal integer NOT NULL,
    kind text NOT NULL,
    text text NOT NULL,
    body_offset integer NOT NULL,
    char_start integer NOT NULL,
    char_end integer NOT NULL,
    spans jsonb NOT NULL,
    heading_path text[] NOT NULL,
    page_start integer,
    page_end integer,
    paragraph_start integer NOT NULL,
    paragraph_end integer NOT NULL,
    token_count integer NOT NULL,
    confidence real,
    PRIMARY KEY (workspace_id, chunk_no),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);
CREATE UNIQUE INDEX chunks_in_document ON chunks (workspace_id, document_id, ordinal);

-- Lanes of different dimensions share the table: the column has none, the partial indexes
-- that a large workspace gets have (store/promotion.py).
CREATE TABLE embeddings (
    workspace_id uuid NOT NULL,
    lane_id integer NOT NULL,
    chunk_no integer NOT NULL,
    text_hash bytea NOT NULL CHECK (octet_length(text_hash) = 16),
    embedding halfvec NOT NULL,
    PRIMARY KEY (workspace_id, lane_id, chunk_no),
    FOREIGN KEY (workspace_id, lane_id) REFERENCES lanes ON DELETE CASCADE
);
-- Text embedded before in this workspace and lane is never paid for again.
CREATE INDEX embeddings_text ON embeddings (workspace_id, lane_id, text_hash);

-- Vectors of chunks that are not published yet; a batch lands here as soon as it is made.
CREATE TABLE staged_embeddings (
    workspace_id uuid NOT NULL,
    lane_id integer NOT NULL,
    text_hash bytea NOT NULL CHECK (octet_length(text_hash) = 16),
    embedding halfvec NOT NULL,
    staged_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, lane_id, text_hash),
    FOREIGN KEY (workspace_id, lane_id) REFERENCES lanes ON DELETE CASCADE
);

-- One immutable piece of the inverted index. Arrays are little-endian and of fixed width, so
-- that merging two is writing one after the other; `dead` alone changes, by growing.
CREATE TABLE segments (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    segment_id integer NOT NULL,
    chunk_count integer NOT NULL,
    chunk_numbers bytea NOT NULL,  -- int32 each, ascending
    lengths bytea NOT NULL,        -- int32 each: analysed terms of the chunk
    dead int4multirange NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, segment_id)
);

CREATE TABLE postings (
    workspace_id uuid NOT NULL,
    term integer NOT NULL,         -- keyed hash: no word can be read from it
    segment_id integer NOT NULL,
    chunk_numbers bytea NOT NULL,  -- int32 each, ascending
    frequencies bytea NOT NULL,    -- uint16 each
    PRIMARY KEY (workspace_id, term, segment_id)
);
CREATE INDEX postings_of_segment ON postings (workspace_id, segment_id);

-- Numbers do not compress well enough to be worth decoding on every search.
ALTER TABLE postings ALTER COLUMN chunk_numbers SET STORAGE EXTERNAL;
ALTER TABLE postings ALTER COLUMN frequencies SET STORAGE EXTERNAL;
ALTER TABLE segments ALTER COLUMN chunk_numbers SET STORAGE EXTERNAL;
ALTER TABLE segments ALTER COLUMN lengths SET STORAGE EXTERNAL;

ALTER TABLE chunks ENABLE ROW LEVEL SECURITY;
ALTER TABLE embeddings ENABLE ROW LEVEL SECURITY;
ALTER TABLE staged_embeddings ENABLE ROW LEVEL SECURITY;
ALTER TABLE segments ENABLE ROW LEVEL SECURITY;
ALTER TABLE postings ENABLE ROW LEVEL SECURITY;
ALTER TABLE chunks FORCE ROW LEVEL SECURITY;
ALTER TABLE embeddings FORCE ROW LEVEL SECURITY;
ALTER TABLE staged_embeddings FORCE ROW LEVEL SECURITY;
ALTER TABLE segments FORCE ROW LEVEL SECURITY;
ALTER TABLE postings FORCE ROW LEVEL SECURITY;

CREATE POLICY within_workspace ON chunks USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON embeddings USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON staged_embeddings USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON segments USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON postings USING (workspace_id = current_workspace());

GRANT SELECT, INSERT, UPDATE, DELETE
    ON chunks, embeddings, staged_embeddings, segments, postings TO footnote_app;
