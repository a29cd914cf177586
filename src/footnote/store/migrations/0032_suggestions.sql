-- migration: expand
-- Answers keep what may be asked next, and lose of it what rests on a document that goes.
-- Safe before a deploy: an answer without suggestions is treated as before.

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
