-- migration: expand
-- Keys of workspaces, and what an encrypted one keeps elsewhere than others do.
-- Safe before a deploy: it adds, and the functions that change do as before for every workspace
-- that is there. Workspaces of before stay as they are, without encryption.

ALTER TABLE workspaces ADD COLUMN encryption text NOT NULL DEFAULT 'off'
    CHECK (encryption IN ('off', 'on'));
ALTER TABLE workspaces DROP CONSTRAINT workspaces_lexical_key_check;
ALTER TABLE workspaces ADD CONSTRAINT workspaces_lexical_key_check
    CHECK (octet_length(lexical_key) = 32 OR encryption = 'on');

COMMENT ON COLUMN workspaces.encryption IS
    'Whether content is encrypted; chosen when the workspace is made, and never changed.';
COMMENT ON COLUMN workspaces.lexical_key IS
    'The key of term numbers; where encryption is on, what all secrets of the index follow from, '
    'encrypted under the data key.';

-- Nothing in here can be used without the master key that it is wrapped by.
CREATE TABLE data_keys (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    version integer NOT NULL CHECK (version > 0),
    wrapped bytea NOT NULL,
    master_key text NOT NULL,
    state text NOT NULL CHECK (state IN ('current', 'old')),
    created_at timestamptz NOT NULL DEFAULT now(),
    wrapped_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, version)
);
CREATE UNIQUE INDEX one_current_data_key ON data_keys (workspace_id) WHERE state = 'current';

-- The text of a version in pieces of so many characters each, so that a span is read without
-- decrypting all of it. Where encryption is off it stands in document_versions.canonical_text.
ALTER TABLE document_versions ADD COLUMN characters integer;
CREATE TABLE sealed_texts (
    workspace_id uuid NOT NULL,
    document_id uuid NOT NULL,
    version integer NOT NULL,
    piece integer NOT NULL,
    sealed bytea NOT NULL,
    PRIMARY KEY (workspace_id, document_id, version, piece),
    FOREIGN KEY (workspace_id, document_id, version) REFERENCES document_versions
        ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, document_id) REFERENCES documents ON DELETE CASCADE
);
-- What is encrypted does not compress.
ALTER TABLE sealed_texts ALTER COLUMN sealed SET STORAGE EXTERNAL;

ALTER TABLE data_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE sealed_texts ENABLE ROW LEVEL SECURITY;
ALTER TABLE data_keys FORCE ROW LEVEL SECURITY;
ALTER TABLE sealed_texts FORCE ROW LEVEL SECURITY;
CREATE POLICY within_workspace ON data_keys USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON sealed_texts
    USING (
        workspace_id = current_workspace()
        AND (
            '*' = ANY ((SELECT current_access())::text[])
            OR EXISTS (
                SELECT FROM documents
                WHERE documents.workspace_id = sealed_texts.workspace_id
                    AND documents.document_id = sealed_texts.document_id
            )
        )
    )
    WITH CHECK (workspace_id = current_workspace());
GRANT SELECT, INSERT, UPDATE, DELETE ON data_keys, sealed_texts TO footnote_app;

CREATE FUNCTION create_encrypted_workspace(
    wanted text, fresh_id uuid, sealed_key bytea, wrapped_key bytea, master text
)
RETURNS TABLE (workspace_id uuid, name text, created_at timestamptz)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    outer_workspace text := COALESCE(current_setting('footnote.workspace_id', true), '');
BEGIN
    INSERT INTO footnote.workspace_directory (name, workspace_id) VALUES (wanted, fresh_id)
        ON CONFLICT ON CONSTRAINT workspace_directory_pkey DO NOTHING;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM set_config('footnote.workspace_id', fresh_id::text, true);
    INSERT INTO footnote.workspaces (workspace_id, name, lexical_key, encryption)
        VALUES (fresh_id, wanted, sealed_key, 'on');
    INSERT INTO footnote.index_states (workspace_id) VALUES (fresh_id);
    INSERT INTO footnote.data_keys (workspace_id, version, wrapped, master_key, state)
        VALUES (fresh_id, 1, wrapped_key, master, 'current');
    PERFORM set_config('footnote.workspace_id', outer_workspace, true);
    RETURN QUERY SELECT d.workspace_id, d.name, d.created_at
        FROM footnote.workspace_directory d WHERE d.workspace_id = fresh_id;
END;
$$;
REVOKE EXECUTE ON FUNCTION create_encrypted_workspace FROM PUBLIC;
GRANT EXECUTE ON FUNCTION create_encrypted_workspace TO footnote_app;

-- As before, but for answers that only the application can read: it removes from those itself.
CREATE OR REPLACE FUNCTION remove_from_answers() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    access text := COALESCE(current_setting('footnote.access', true), '');
BEGIN
    PERFORM set_config('footnote.access', '{*}', true);
    UPDATE footnote.messages
    SET answer = footnote.without_document(answer, OLD.document_id::text)
    WHERE NOT answer ? 'sealed'
        AND (workspace_id, principal, conversation_id, message_no) IN (
            SELECT workspace_id, principal, conversation_id, message_no
            FROM footnote.message_sources
            WHERE workspace_id = OLD.workspace_id AND document_id = OLD.document_id
        );
    PERFORM set_config('footnote.access', access, true);
    RETURN OLD;
END;
$$;
