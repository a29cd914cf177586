-- migration: expand
-- What a language model used for the names of a version, and how many of its names stand nowhere.

ALTER TABLE entity_sets
    ADD COLUMN model_input_tokens bigint NOT NULL DEFAULT 0,
    ADD COLUMN model_output_tokens bigint NOT NULL DEFAULT 0,
    ADD COLUMN model_cost_usd double precision DEFAULT 0,
    ADD COLUMN left_out integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN entity_sets.model_cost_usd IS 'Null where the price is not known.';
