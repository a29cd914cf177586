-- migration: expand
-- Whether a chunk tries to give orders to a model that reads it is found out once, not in each search.
-- Safe before a deploy: it only adds; workers of before leave it open, and reads look then.

ALTER TABLE chunks ADD COLUMN suspicious boolean;

COMMENT ON COLUMN chunks.suspicious IS
    'Whether its title, headings or text give orders to a model; null where nobody looked yet.';
