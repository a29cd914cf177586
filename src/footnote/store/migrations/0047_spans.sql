-- migration: expand
-- Steps of traces, for `footnote trace`: operational, without any text of a customer. The
-- application adds to them and cannot read them; the operator reads them through the owner.
-- Safe before a deploy: it only adds.

CREATE TABLE spans (
    trace_id text NOT NULL CHECK (trace_id ~ '^[0-9a-f]{32}$'),
    span_id text NOT NULL CHECK (span_id ~ '^[0-9a-f]{16}$'),
    parent_id text,
    name text NOT NULL,
    service text NOT NULL,
    started_at timestamptz NOT NULL,
    duration_ms double precision NOT NULL,
    error text,
    workspace_id uuid,
    document_id uuid,
    attributes jsonb NOT NULL,
    PRIMARY KEY (trace_id, span_id)
);
CREATE INDEX spans_by_age ON spans (started_at);
CREATE INDEX spans_of_documents ON spans (document_id, started_at) WHERE document_id IS NOT NULL;

-- Keeps spans, and removes some of those that are older than is wanted.
CREATE FUNCTION keep_spans(given jsonb, kept_hours float8) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    DELETE FROM footnote.spans WHERE (trace_id, span_id) IN (
        SELECT old.trace_id, old.span_id FROM footnote.spans old
        WHERE old.started_at < now() - make_interval(secs => kept_hours * 3600)
        ORDER BY old.started_at LIMIT 10000
    );
    INSERT INTO footnote.spans (
        trace_id, span_id, parent_id, name, service, started_at, duration_ms, error,
        workspace_id, document_id, attributes
    )
    SELECT
        each.trace_id, each.span_id, each.parent_id, each.name, each.service, each.started_at,
        each.duration_ms, each.error, each.workspace_id, each.document_id, each.attributes
    FROM jsonb_to_recordset(given) AS each(
        trace_id text, span_id text, parent_id text, name text, service text,
        started_at timestamptz, duration_ms float8, error text,
        workspace_id uuid, document_id uuid, attributes jsonb
    )
    ON CONFLICT DO NOTHING;
END;
REVOKE EXECUTE ON FUNCTION keep_spans FROM PUBLIC;
GRANT EXECUTE ON FUNCTION keep_spans TO footnote_app;
