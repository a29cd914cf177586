-- migration: expand
-- Short posting lists share a row, so that what is stored is postings and no longer the headers and
-- keys of rows. What stands in `postings` stays readable, and maintenance rewrites it.
-- It only adds. Programs of before find no words in what is written in blocks, so replace those that
-- search before those that ingest.

CREATE TABLE posting_blocks (
    workspace_id uuid NOT NULL,
    block integer NOT NULL,        -- a term, or the terms that share their first bits (index/blocks.py)
    segment_id integer NOT NULL,
    lists bytea NOT NULL,
    PRIMARY KEY (workspace_id, block, segment_id)
);
CREATE INDEX posting_blocks_of_segment ON posting_blocks (workspace_id, segment_id);

-- Lists are packed already. Blocks stay in their row; only long lists go elsewhere.
ALTER TABLE posting_blocks ALTER COLUMN lists SET STORAGE EXTERNAL;
-- Merges leave many dead rows at once: their room is wanted for the next.
ALTER TABLE posting_blocks SET (
    toast_tuple_target = 4080,
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0,
    toast.autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_cost_delay = 0
);

ALTER TABLE posting_blocks ENABLE ROW LEVEL SECURITY;
ALTER TABLE posting_blocks FORCE ROW LEVEL SECURITY;
CREATE POLICY within_workspace ON posting_blocks USING (workspace_id = current_workspace());
GRANT SELECT, INSERT, UPDATE, DELETE ON posting_blocks TO footnote_app;
