-- migration: expand
-- Roles in a workspace and in its collections, and who sees a document beside its list.
-- Safe before a deploy: what was visible stays so. Entries of access lists that named a group keep
-- admitting it: a name is listed once more as a group.

CREATE TABLE grants (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    subject text NOT NULL CHECK (subject <> ''),
    -- Empty for the whole workspace; a part of a primary key cannot be null.
    collection text NOT NULL DEFAULT '',
    role text NOT NULL CHECK (role IN ('reader', 'writer', 'admin')),
    granted_by text NOT NULL,
    granted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, subject, collection)
);
COMMENT ON COLUMN grants.subject IS 'A principal''s id, or group: and the name of a group.';
ALTER TABLE grants ENABLE ROW LEVEL SECURITY;
ALTER TABLE grants FORCE ROW LEVEL SECURITY;
CREATE POLICY within_workspace ON grants USING (workspace_id = current_workspace());
GRANT SELECT, INSERT, UPDATE, DELETE ON grants TO footnote_app;

ALTER TABLE documents ADD COLUMN visibility text NOT NULL DEFAULT 'workspace'
    CHECK (visibility IN ('workspace', 'collection', 'private'));
COMMENT ON COLUMN documents.access IS
    'Access names that may see the document; null means every role in the workspace or in its '
    'collection.';

-- Row-level security binds the owner too, so a change of every workspace needs it lifted.
ALTER TABLE documents NO FORCE ROW LEVEL SECURITY;
UPDATE documents SET
    visibility = 'private',
    access = access || ARRAY(
        SELECT 'group:' || name FROM unnest(access) AS name
        WHERE name NOT LIKE 'group:%'
    )
WHERE access IS NOT NULL;
ALTER TABLE documents FORCE ROW LEVEL SECURITY;

-- A role in one collection alone shows nothing of the others.
ALTER POLICY within_workspace ON documents
    USING (
        workspace_id = current_workspace()
        AND (
            (
                access IS NULL AND (
                    'workspace:members' = ANY ((SELECT current_access())::text[])
                    OR ('collection:' || collection) = ANY ((SELECT current_access())::text[])
                )
            )
            OR '*' = ANY ((SELECT current_access())::text[])
            OR access && (SELECT current_access())
        )
    )
    WITH CHECK (workspace_id = current_workspace());

ALTER POLICY within_workspace ON events
    USING (
        workspace_id = current_workspace()
        AND (
            (
                access IS NULL AND (
                    'workspace:members' = ANY ((SELECT current_access())::text[])
                    OR ('collection:' || (body ->> 'collection'))
                        = ANY ((SELECT current_access())::text[])
                )
            )
            OR '*' = ANY ((SELECT current_access())::text[])
            OR access && (SELECT current_access())
        )
    );
