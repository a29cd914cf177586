-- migration: expand
-- What re-embedding needs: the text of a chunk as it was embedded, and how far it has come.
-- Safe before a deploy: it adds, and builds one index anew, for which writers wait.

-- What enrichment put before the text; null for chunks that were published before.
ALTER TABLE chunks ADD COLUMN context text;

-- A number is never given to a second lane, since indexes and caches go by it: the row of a lane
-- whose vectors are gone stays.
ALTER TABLE lanes DROP CONSTRAINT lanes_state_check;
ALTER TABLE lanes ADD CONSTRAINT lanes_state_check
    CHECK (state IN ('active', 'building', 'retired', 'purged'));
ALTER TABLE lanes ADD COLUMN retired_at timestamptz;

-- Null for what was published before; it is embedded anew rather than found again.
ALTER TABLE document_embeddings ADD COLUMN text_hash bytea;
CREATE INDEX document_embeddings_text
    ON document_embeddings (workspace_id, text_hash, lane_id) WHERE text_hash IS NOT NULL;

-- The hash before the lane: of a lane that is just being filled the planner thinks that it is
-- empty, and would walk all of it rather than look the hash up.
DROP INDEX embeddings_text;
CREATE INDEX embeddings_text ON embeddings (workspace_id, text_hash, lane_id);

CREATE TABLE reembeddings (
    workspace_id uuid NOT NULL,
    lane_id integer NOT NULL,        -- the lane that is filled
    state text NOT NULL
        CHECK (state IN ('queued', 'running', 'switched', 'cancelled', 'failed')),
    rollback boolean NOT NULL DEFAULT false,
    texts_per_second real CHECK (texts_per_second > 0),
    texts_embedded bigint NOT NULL DEFAULT 0,
    texts_reused bigint NOT NULL DEFAULT 0,
    tokens bigint NOT NULL DEFAULT 0,
    cost_usd numeric NOT NULL DEFAULT 0,
    failure text,
    started_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    PRIMARY KEY (workspace_id, lane_id),
    FOREIGN KEY (workspace_id, lane_id) REFERENCES lanes ON DELETE CASCADE
);

COMMENT ON COLUMN reembeddings.texts_reused IS
    'Texts that had a vector in the lane already, or shared one with another chunk.';

ALTER TABLE reembeddings ENABLE ROW LEVEL SECURITY;
ALTER TABLE reembeddings FORCE ROW LEVEL SECURITY;
CREATE POLICY within_workspace ON reembeddings USING (workspace_id = current_workspace());
GRANT SELECT, INSERT, UPDATE, DELETE ON reembeddings TO footnote_app;
