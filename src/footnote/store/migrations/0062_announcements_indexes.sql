-- migration: expand
-- What was announced of a document, so that an older announcement does not replace a newer one.

CREATE INDEX CONCURRENTLY ingest_requests_document
    ON ingest_requests (workspace_id, document_id);
