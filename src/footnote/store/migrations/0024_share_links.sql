-- migration: expand
-- Links that show a collection or a conversation to whoever has them, until they expire.
-- Safe before a deploy: it only adds.

CREATE TABLE share_links (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    credential_id text COLLATE "C" NOT NULL,
    collection text CHECK (collection <> ''),
    conversation_id uuid,
    owner text NOT NULL,
    owner_groups text[] NOT NULL,
    owner_role text,
    owner_collections text[] NOT NULL,
    secret_hash bytea NOT NULL CHECK (octet_length(secret_hash) = 32),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    opened_at timestamptz,
    PRIMARY KEY (workspace_id, credential_id),
    FOREIGN KEY (workspace_id, owner, conversation_id)
        REFERENCES conversations (workspace_id, principal, conversation_id) ON DELETE CASCADE,
    CHECK (num_nonnulls(collection, conversation_id) = 1)
);
CREATE INDEX share_links_conversation
    ON share_links (workspace_id, owner, conversation_id) WHERE conversation_id IS NOT NULL;

COMMENT ON COLUMN share_links.secret_hash IS 'HMAC-SHA256 under a key that is not in the database.';
COMMENT ON COLUMN share_links.owner_role IS
    'As the credential of whoever shared had it, without what the workspace granted; so are '
    'owner_groups and owner_collections. A conversation shows no document that they would not.';

ALTER TABLE share_links ENABLE ROW LEVEL SECURITY;
ALTER TABLE share_links FORCE ROW LEVEL SECURITY;
CREATE POLICY within_workspace ON share_links USING (workspace_id = current_workspace());
GRANT SELECT, INSERT, UPDATE, DELETE ON share_links TO footnote_app;

ALTER TABLE credential_directory
    DROP CONSTRAINT credential_directory_kind_check,
    ADD CONSTRAINT credential_directory_kind_check CHECK (kind IN ('key', 'session', 'link'));
CREATE TRIGGER list_credential AFTER INSERT OR DELETE ON share_links
FOR EACH ROW EXECUTE FUNCTION list_credential('link');
