-- migration: expand
-- What filters and facets look at.
-- Safe before a deploy: it only adds.

ALTER TABLE documents ADD COLUMN tags text[] NOT NULL DEFAULT '{}';

-- A search within some kinds of chunk walks this index and never touches the texts.
CREATE INDEX chunks_of_kind ON chunks (workspace_id, kind, chunk_no);

-- Case is folded by Unicode whatever the locale of the database: by the tables that come with
-- Postgres 17 and later, before that by ICU, and without either by the database's own locale.
DO $$
DECLARE
    unicode text := CASE
        WHEN to_regcollation('pg_catalog.pg_c_utf8') IS NOT NULL
            THEN ' COLLATE pg_catalog.pg_c_utf8'
        WHEN to_regcollation('pg_catalog."und-x-icu"') IS NOT NULL
            THEN ' COLLATE pg_catalog."und-x-icu"'
        ELSE ''
    END;
BEGIN
    EXECUTE 'CREATE FUNCTION folded(plain text) RETURNS text '
        'LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN lower(plain' || unicode || ')';
END;
$$;

-- A person as files and messages name them, "Anna Berg <anna@example.com>": how they may be
-- asked for, the whole of it, the address and the name. One expression, so that it is inlined.
CREATE FUNCTION person_names(person text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ARRAY[
    folded(person),
    folded(btrim(substring(person FROM '<([^<>]*)>$'))),
    folded(btrim(substring(person FROM '^(.*)<[^<>]*>$'), ' "'))
];

-- The one way of naming a person under which they are counted: the address where there is one.
CREATE FUNCTION person_label(person text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN COALESCE(folded(NULLIF(btrim(substring(person FROM '<([^<>]*)>$')), '')), person);
