-- migration: expand
-- Keys of programs and people, and how a credential leads to its workspace.
-- Safe before a deploy: it only adds.

CREATE TABLE api_keys (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    credential_id text COLLATE "C" NOT NULL,
    name text NOT NULL CHECK (name <> ''),
    principal text NOT NULL CHECK (principal <> ''),
    groups text[] NOT NULL DEFAULT '{}',
    rights text[] NOT NULL CHECK (
        rights <> '{}' AND rights <@ '{read,write,administer}'::text[]
    ),
    collections text[] NOT NULL DEFAULT '{}',
    secret_hash bytea NOT NULL CHECK (octet_length(secret_hash) = 32),
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by text NOT NULL,
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz,
    replaced_by text COLLATE "C",
    PRIMARY KEY (workspace_id, credential_id)
);
COMMENT ON COLUMN api_keys.secret_hash IS 'HMAC-SHA256 under a key that is not in the database.';

ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE api_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY within_workspace ON api_keys USING (workspace_id = current_workspace());
GRANT SELECT, INSERT, UPDATE, DELETE ON api_keys TO footnote_app;

-- A credential is seen before its workspace is known. Like the directory of names, this one is no
-- customer's: the application cannot read it and resolves one id at a time through a function.
CREATE TABLE credential_directory (
    kind text NOT NULL CHECK (kind IN ('key', 'session')),
    credential_id text COLLATE "C" NOT NULL,
    workspace_id uuid NOT NULL REFERENCES workspace_directory (workspace_id) ON DELETE CASCADE,
    PRIMARY KEY (kind, credential_id)
);
ALTER TABLE credential_directory ENABLE ROW LEVEL SECURITY;

CREATE FUNCTION find_credential(wanted_kind text, wanted_id text)
RETURNS TABLE (workspace_id uuid, name text, created_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT d.workspace_id, d.name, d.created_at
    FROM footnote.credential_directory c
    JOIN footnote.workspace_directory d ON d.workspace_id = c.workspace_id
    WHERE c.kind = wanted_kind AND c.credential_id = wanted_id;
END;
REVOKE EXECUTE ON FUNCTION find_credential FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_credential TO footnote_app;

-- The id stays in the directory of the workspace that had it first: a row of another workspace
-- with the same id is refused, whoever writes it.
CREATE FUNCTION list_credential() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        DELETE FROM footnote.credential_directory
        WHERE kind = TG_ARGV[0] AND credential_id = OLD.credential_id
            AND workspace_id = OLD.workspace_id;
        RETURN OLD;
    END IF;
    INSERT INTO footnote.credential_directory (kind, credential_id, workspace_id)
    VALUES (TG_ARGV[0], NEW.credential_id, NEW.workspace_id);
    RETURN NEW;
END;
$$;
REVOKE EXECUTE ON FUNCTION list_credential FROM PUBLIC;
CREATE TRIGGER list_credential AFTER INSERT OR DELETE ON api_keys
FOR EACH ROW EXECUTE FUNCTION list_credential('key');
