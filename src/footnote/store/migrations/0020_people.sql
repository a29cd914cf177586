-- migration: expand
-- People and their groups as a directory pushes them, and the sessions of those who logged in.
-- Safe before a deploy: it only adds.

CREATE TABLE users (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    user_id uuid NOT NULL,
    user_name text NOT NULL CHECK (user_name <> ''),
    external_id text,
    active boolean NOT NULL DEFAULT true,
    attributes jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, user_id)
);
COMMENT ON COLUMN users.user_name IS 'The principal; the case of its letters does not matter.';
COMMENT ON COLUMN users.attributes IS 'What else the directory says of the person.';
CREATE UNIQUE INDEX users_by_name ON users (workspace_id, lower(user_name));

CREATE TABLE user_groups (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    group_id uuid NOT NULL,
    display_name text NOT NULL CHECK (display_name <> ''),
    external_id text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, group_id)
);
CREATE UNIQUE INDEX user_groups_by_name ON user_groups (workspace_id, lower(display_name));

CREATE TABLE memberships (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    group_id uuid NOT NULL,
    user_id uuid NOT NULL,
    PRIMARY KEY (workspace_id, group_id, user_id),
    FOREIGN KEY (workspace_id, group_id) REFERENCES user_groups ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, user_id) REFERENCES users ON DELETE CASCADE
);
CREATE INDEX memberships_of_user ON memberships (workspace_id, user_id);

CREATE TABLE sessions (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    credential_id text COLLATE "C" NOT NULL,
    secret_hash bytea NOT NULL CHECK (octet_length(secret_hash) = 32),
    principal text NOT NULL CHECK (principal <> ''),
    groups text[] NOT NULL DEFAULT '{}',
    role text CHECK (role IN ('reader', 'writer', 'admin')),
    issuer text NOT NULL,
    subject text NOT NULL,
    provider_session text,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, credential_id)
);

ALTER TABLE users ENABLE ROW LEVEL SECURITY;
ALTER TABLE user_groups ENABLE ROW LEVEL SECURITY;
ALTER TABLE memberships ENABLE ROW LEVEL SECURITY;
ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE users FORCE ROW LEVEL SECURITY;
ALTER TABLE user_groups FORCE ROW LEVEL SECURITY;
ALTER TABLE memberships FORCE ROW LEVEL SECURITY;
ALTER TABLE sessions FORCE ROW LEVEL SECURITY;
CREATE POLICY within_workspace ON users USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON user_groups USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON memberships USING (workspace_id = current_workspace());
CREATE POLICY within_workspace ON sessions USING (workspace_id = current_workspace());
GRANT SELECT, INSERT, UPDATE, DELETE ON users, user_groups, memberships, sessions
    TO footnote_app;

CREATE TRIGGER list_credential AFTER INSERT OR DELETE ON sessions
FOR EACH ROW EXECUTE FUNCTION list_credential('session');

-- An identity provider ends logins by what it calls them, whichever workspace they are in.
CREATE TABLE login_directory (
    issuer text NOT NULL,
    subject text NOT NULL,
    provider_session text,
    credential_id text COLLATE "C" NOT NULL,
    workspace_id uuid NOT NULL REFERENCES workspace_directory (workspace_id) ON DELETE CASCADE,
    PRIMARY KEY (workspace_id, credential_id)
);
CREATE INDEX login_directory_of_person ON login_directory (issuer, subject);
CREATE INDEX login_directory_of_session ON login_directory (issuer, provider_session);
ALTER TABLE login_directory ENABLE ROW LEVEL SECURITY;

CREATE FUNCTION list_login() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        DELETE FROM footnote.login_directory
        WHERE workspace_id = OLD.workspace_id AND credential_id = OLD.credential_id;
        RETURN OLD;
    END IF;
    INSERT INTO footnote.login_directory
        (issuer, subject, provider_session, credential_id, workspace_id)
    VALUES (NEW.issuer, NEW.subject, NEW.provider_session, NEW.credential_id, NEW.workspace_id);
    RETURN NEW;
END;
$$;
REVOKE EXECUTE ON FUNCTION list_login FROM PUBLIC;
CREATE TRIGGER list_login AFTER INSERT OR DELETE ON sessions
FOR EACH ROW EXECUTE FUNCTION list_login();

-- The logins of one person, or the one that the provider means: a session that it names is ended
-- alone, even where it names its person too.
CREATE FUNCTION find_logins(wanted_issuer text, wanted_subject text, wanted_session text)
RETURNS TABLE (workspace_id uuid, credential_id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT d.workspace_id, d.credential_id FROM footnote.login_directory d
    WHERE d.issuer = wanted_issuer
        AND (wanted_subject IS NULL OR d.subject = wanted_subject)
        AND (wanted_session IS NULL OR d.provider_session = wanted_session)
        AND (wanted_subject IS NOT NULL OR wanted_session IS NOT NULL);
END;
REVOKE EXECUTE ON FUNCTION find_logins FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_logins TO footnote_app;
