-- migration: expand
-- Which entities the subject and the object of a fact are: keyed hashes of the forms that their words
-- may have as names, compared with those of what the fact's document names (`entity_keys`).
-- Safe before a deploy: older versions insert none, and such facts are of no entity until their
-- document is read again.

ALTER TABLE facts
    ADD COLUMN subject_keys bytea[] NOT NULL DEFAULT '{}',
    ADD COLUMN object_keys bytea[] NOT NULL DEFAULT '{}';
