-- migration: expand
-- What was decided of facts that the last reading of a document did not find, as where their kind was
-- not extracted, so that it holds when they are found again.
-- Safe before a deploy: older versions leave it as it is.

ALTER TABLE fact_sets ADD COLUMN decided jsonb NOT NULL DEFAULT '[]';
COMMENT ON COLUMN fact_sets.decided IS
    'Objects with fact_id, same_key (hexadecimal), status, decided_by and decided_at.';
