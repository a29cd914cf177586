-- migration: expand
-- What makes handing files in safe to repeat, and lets nothing lie about that no document owns.
-- Safe before a deploy: it only adds.

-- What became of a request that came with a key, so that its repetition does nothing.
CREATE TABLE idempotency_keys (
    workspace_id uuid NOT NULL,
    principal text NOT NULL,
    key text NOT NULL,
    fingerprint bytea NOT NULL CHECK (octet_length(fingerprint) = 32),
    document_id uuid NOT NULL,
    duplicate boolean NOT NULL,
    new_version boolean NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, principal, key),
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);
CREATE INDEX idempotency_keys_document ON idempotency_keys (workspace_id, document_id);
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (workspace_id, expires_at);

-- Bytes that are about to belong to a document, or that belong to none any more. A blob may only
-- be removed while no version names it and no claim on it is fresh.
CREATE TABLE blob_claims (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    blob_key text NOT NULL,
    claim_id uuid NOT NULL,
    claimed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, blob_key, claim_id)
);
CREATE INDEX blob_claims_age ON blob_claims (workspace_id, claimed_at);

-- A vector that waits for its document goes with the document. Null for those of before.
ALTER TABLE staged_embeddings ADD COLUMN document_id uuid;
ALTER TABLE staged_embeddings ADD FOREIGN KEY (workspace_id, document_id)
    REFERENCES documents ON DELETE CASCADE;
CREATE INDEX staged_embeddings_document
    ON staged_embeddings (workspace_id, document_id) WHERE document_id IS NOT NULL;

-- How many documents of a workspace wait is asked at every upload.
CREATE INDEX documents_unrested
    ON documents (workspace_id) WHERE status IN ('queued', 'ingesting');

ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE blob_claims ENABLE ROW LEVEL SECURITY;
ALTER TABLE idempotency_keys FORCE ROW LEVEL SECURITY;
ALTER TABLE blob_claims FORCE ROW LEVEL SECURITY;
CREATE POLICY within_workspace ON idempotency_keys USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON blob_claims USING (workspace_id = current_workspace());
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_keys, blob_claims TO footnote_app;
