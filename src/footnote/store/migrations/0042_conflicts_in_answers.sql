-- migration: expand
-- Where the object of a fact stands in its document, so that the facts in what an answer quotes are
-- found by an index; and answers that are kept with what documents do not agree about, of which a
-- document takes its statements with it when it goes.
-- Safe before a deploy: older versions insert nulls, and facts without a place are not found by one.

ALTER TABLE facts
    ADD COLUMN char_start integer,
    ADD COLUMN char_end integer;
COMMENT ON COLUMN facts.char_start IS 'With char_end the first of the spans: that of the object.';
UPDATE facts SET
    char_start = (spans -> 0 ->> 0)::integer,
    char_end = (spans -> 0 ->> 1)::integer;
CREATE INDEX facts_place ON facts (workspace_id, document_id, char_start)
    WHERE comparable AND status IN ('proposed', 'confirmed');

CREATE OR REPLACE FUNCTION without_document(answer jsonb, gone text) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
    WITH removed AS (
        SELECT DISTINCT marker FROM (
            SELECT jsonb_array_elements(answer -> 'removed_markers')
            UNION ALL
            SELECT cited -> 'marker' FROM jsonb_array_elements(answer -> 'citations') AS cited
            WHERE cited ->> 'document_id' = gone
        ) AS both_kinds (marker)
    )
    SELECT answer || jsonb_build_object(
        'removed_markers',
        (SELECT COALESCE(jsonb_agg(marker ORDER BY marker), '[]') FROM removed),
        'citations',
        (
            SELECT COALESCE(jsonb_agg(cited ORDER BY place), '[]')
            FROM jsonb_array_elements(answer -> 'citations') WITH ORDINALITY AS each (cited, place)
            WHERE cited ->> 'document_id' <> gone
        ),
        'evidence',
        (
            SELECT COALESCE(jsonb_agg(found ORDER BY place), '[]')
            FROM jsonb_array_elements(answer -> 'evidence') WITH ORDINALITY AS each (found, place)
            WHERE found ->> 'document_id' <> gone
        ),
        'conflicts',
        (
            SELECT COALESCE(
                jsonb_agg(conflict || jsonb_build_object('statements', said) ORDER BY place), '[]'
            )
            FROM jsonb_array_elements(answer -> 'conflicts')
                WITH ORDINALITY AS each (conflict, place)
            CROSS JOIN LATERAL (
                SELECT jsonb_agg(statement ORDER BY number) AS said, count(*) AS statements
                FROM jsonb_array_elements(conflict -> 'statements')
                    WITH ORDINALITY AS each (statement, number)
                WHERE statement #>> '{citation,document_id}' <> gone
            ) AS others
            -- What the answer itself says comes first; without it, or with nothing held against
            -- it, there is no conflict.
            WHERE others.statements > 1
                AND conflict #>> '{statements,0,citation,document_id}' <> gone
        ),
        'sentences',
        (
            SELECT COALESCE(
                jsonb_agg(
                    CASE
                        WHEN (answer ->> 'found')::boolean AND (
                            jsonb_array_length(sentence -> 'markers') = 0
                            OR EXISTS (
                                SELECT FROM removed WHERE sentence -> 'markers' @> removed.marker
                            )
                        ) THEN sentence || '{"text": ""}'
                        ELSE sentence
                    END
                    ORDER BY place
                ),
                '[]'
            )
            FROM jsonb_array_elements(answer -> 'sentences')
                WITH ORDINALITY AS each (sentence, place)
        )
    ) || CASE jsonb_typeof(answer -> 'suggestions')
        WHEN 'array' THEN jsonb_build_object(
            'suggestions',
            (
                SELECT COALESCE(jsonb_agg(suggested ORDER BY place), '[]')
                FROM jsonb_array_elements(answer -> 'suggestions')
                    WITH ORDINALITY AS each (suggested, place)
                WHERE NOT suggested -> 'document_ids' ? gone
            )
        )
        ELSE '{}'
    END
);
