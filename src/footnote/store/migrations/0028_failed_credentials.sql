-- migration: expand
-- How often credentials failed lately, by where they came from and by their ids.
-- Safe before a deploy: it only adds.

-- A credential that fails is of no workspace. Like the directory of names, this table is no
-- customer's: the application cannot read it and counts one source at a time through functions.
-- A source is a keyed hash, so that no address of anybody is stored.
CREATE TABLE failed_credentials (
    source bytea PRIMARY KEY CHECK (octet_length(source) = 32),
    due timestamptz NOT NULL
);
COMMENT ON COLUMN failed_credentials.due IS
    'When the failures of the source would be made up for, had they come evenly.';
CREATE INDEX failed_credentials_by_due ON failed_credentials (due);
ALTER TABLE failed_credentials ENABLE ROW LEVEL SECURITY;

-- GCRA, as in store/sql/rate_limits.sql. What has been made up for is forgotten on the way, a few
-- rows at a time: whoever has many addresses cannot fill the disk.
CREATE FUNCTION count_failure(failing bytea, step float8, burst integer)
RETURNS TABLE (allowed boolean, ahead float8)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    DELETE FROM footnote.failed_credentials WHERE source IN (
        SELECT f.source FROM footnote.failed_credentials f
        WHERE f.due < clock_timestamp() AND f.source <> failing
        ORDER BY f.due LIMIT 10 FOR UPDATE SKIP LOCKED
    );
    WITH moment AS MATERIALIZED (SELECT clock_timestamp() AS now),
    taken AS (
        INSERT INTO footnote.failed_credentials AS known (source, due)
        SELECT failing, moment.now + make_interval(secs => step) FROM moment
        ON CONFLICT (source) DO UPDATE
            SET due = greatest(known.due + make_interval(secs => step), EXCLUDED.due)
            WHERE known.due <= EXCLUDED.due + make_interval(secs => step * (burst - 2))
        RETURNING due
    )
    SELECT true, extract(epoch FROM taken.due - moment.now)::float8 FROM taken, moment
    UNION ALL
    SELECT false, coalesce(extract(epoch FROM known.due - moment.now), step * burst)::float8
    FROM moment LEFT JOIN footnote.failed_credentials known ON known.source = failing
    WHERE NOT EXISTS (SELECT FROM taken);
END;
REVOKE EXECUTE ON FUNCTION count_failure FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_failure TO footnote_app;

CREATE FUNCTION failures_ahead(failing bytea) RETURNS float8
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT extract(epoch FROM f.due - clock_timestamp())::float8
    FROM footnote.failed_credentials f WHERE f.source = failing;
END;
REVOKE EXECUTE ON FUNCTION failures_ahead FROM PUBLIC;
GRANT EXECUTE ON FUNCTION failures_ahead TO footnote_app;
