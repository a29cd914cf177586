-- name: keep
SELECT footnote.keep_spans(%(spans)s, %(kept_hours)s)

-- name: trace
SELECT
    trace_id, span_id, parent_id, name, service, started_at, duration_ms, error,
    workspace_id, document_id, attributes
FROM footnote.spans WHERE trace_id = %(trace_id)s

-- name: of_document
-- The trace that had a document in hand last.
SELECT trace_id FROM footnote.spans
WHERE document_id = %(document_id)s
ORDER BY started_at DESC LIMIT 1

-- name: latest
WITH latest AS (
    SELECT trace_id, max(started_at) AS seen FROM (
        SELECT trace_id, started_at FROM footnote.spans ORDER BY started_at DESC LIMIT %(most_spans)s
    ) AS recent
    GROUP BY trace_id ORDER BY seen DESC LIMIT %(most)s
)
SELECT
    trace_id,
    (array_agg(name ORDER BY started_at))[1] AS name,
    min(started_at) AS started_at,
    extract(
        epoch FROM max(started_at + duration_ms * interval '1 millisecond') - min(started_at)
    )::float8 * 1000 AS duration_ms,
    count(*) AS spans,
    count(error) AS failed
FROM latest JOIN footnote.spans USING (trace_id)
GROUP BY trace_id
ORDER BY min(started_at) DESC
