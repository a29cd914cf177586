-- migration: expand
-- What may not be deleted until an administrator says so again.
-- Safe before a deploy: it only adds. Processes of before fail to delete what is held, with an
-- error that they do not know.

CREATE TABLE legal_holds (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    hold_id uuid NOT NULL,
    document_id uuid,
    collection text CHECK (collection <> ''),
    custodian text CHECK (custodian <> ''),
    reason text NOT NULL,
    set_by text NOT NULL,
    set_at timestamptz NOT NULL DEFAULT now(),
    lifted_by text,
    lifted_at timestamptz,
    lift_reason text,
    PRIMARY KEY (workspace_id, hold_id),
    CHECK (num_nonnulls(document_id, collection, custodian) = 1),
    CHECK (num_nonnulls(lifted_by, lifted_at, lift_reason) IN (0, 3))
);
CREATE INDEX legal_holds_in_force ON legal_holds (workspace_id) WHERE lifted_at IS NULL;
COMMENT ON COLUMN legal_holds.custodian IS
    'A principal: what it handed in, asked and was answered.';

ALTER TABLE legal_holds ENABLE ROW LEVEL SECURITY;
ALTER TABLE legal_holds FORCE ROW LEVEL SECURITY;
-- Who may not see a document learns nothing of its hold.
CREATE POLICY within_workspace ON legal_holds
    USING (
        workspace_id = current_workspace()
        AND (
            document_id IS NULL
            OR '*' = ANY ((SELECT current_access())::text[])
            OR EXISTS (
                SELECT FROM documents
                WHERE documents.workspace_id = legal_holds.workspace_id
                    AND documents.document_id = legal_holds.document_id
            )
        )
    )
    WITH CHECK (workspace_id = current_workspace());
GRANT SELECT, INSERT, DELETE ON legal_holds TO footnote_app;
GRANT UPDATE (reason, lifted_by, lifted_at, lift_reason) ON legal_holds TO footnote_app;

-- Whether a document, what it is attached to or an attachment of it is held, or a conversation that
-- quotes it is: without the document, the conversation would no longer be what was held. It looks
-- at all that is there, since whoever deletes a document need not see its attachments.
CREATE FUNCTION under_legal_hold(wanted uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    here uuid := footnote.current_workspace();
    access text := COALESCE(current_setting('footnote.access', true), '');
    held boolean;
BEGIN
    PERFORM set_config('footnote.access', '{*}', true);
    held := EXISTS (
        SELECT FROM footnote.legal_holds WHERE workspace_id = here AND lifted_at IS NULL
    ) AND EXISTS (
        WITH RECURSIVE above AS (
            SELECT document_id, parent_id FROM footnote.documents
            WHERE workspace_id = here AND document_id = wanted
            UNION
            SELECT parent.document_id, parent.parent_id FROM footnote.documents AS parent
            JOIN above ON parent.document_id = above.parent_id
            WHERE parent.workspace_id = here
        ),
        below AS (
            SELECT wanted AS document_id
            UNION
            SELECT child.document_id FROM footnote.documents AS child
            JOIN below ON child.parent_id = below.document_id
            WHERE child.workspace_id = here
        ),
        family AS (
            SELECT document_id FROM above UNION SELECT document_id FROM below
        )
        SELECT FROM footnote.legal_holds AS hold
        WHERE hold.workspace_id = here AND hold.lifted_at IS NULL AND (
            hold.document_id IN (SELECT document_id FROM family)
            OR EXISTS (
                SELECT FROM footnote.documents JOIN family USING (document_id)
                WHERE documents.workspace_id = here AND (
                    documents.collection = hold.collection
                    OR documents.created_by = hold.custodian
                )
            )
            OR EXISTS (
                SELECT FROM footnote.message_sources JOIN below USING (document_id)
                WHERE message_sources.workspace_id = here
                    AND message_sources.principal = hold.custodian
            )
        )
    );
    PERFORM set_config('footnote.access', access, true);
    RETURN held;
END;
$$;

CREATE FUNCTION custodian_is_held(wanted text) RETURNS boolean
LANGUAGE sql STABLE
RETURN EXISTS (
    SELECT FROM legal_holds
    WHERE workspace_id = current_workspace() AND lifted_at IS NULL AND custodian = wanted
);

-- A hold is set after every deletion that began before it, and before every one that begins after
-- it: those share a lock that the hold takes alone.
CREATE FUNCTION refuse_under_legal_hold() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    access text := COALESCE(current_setting('footnote.access', true), '');
    held boolean;
BEGIN
    PERFORM set_config('footnote.access', '{*}', true);
    PERFORM pg_advisory_xact_lock_shared(
        hashtextextended('footnote hold ' || OLD.workspace_id::text, 0)
    );
    IF TG_ARGV[0] = 'document' THEN
        held := footnote.under_legal_hold(OLD.document_id);
    ELSIF TG_ARGV[0] = 'custodian' THEN
        held := footnote.custodian_is_held(OLD.principal);
    ELSIF TG_ARGV[0] = 'query' THEN
        held := EXISTS (
            SELECT FROM footnote.audit_log
            WHERE workspace_id = OLD.workspace_id AND entry_no = OLD.entry_no
                AND footnote.custodian_is_held(principal)
        );
    ELSE
        held := EXISTS (
            SELECT FROM footnote.legal_holds
            WHERE workspace_id = OLD.workspace_id AND lifted_at IS NULL
        );
    END IF;
    IF held THEN
        RAISE EXCEPTION 'a row of % is under legal hold', TG_TABLE_NAME USING ERRCODE = '23H01';
    END IF;
    PERFORM set_config('footnote.access', access, true);
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END;
$$;

CREATE FUNCTION set_legal_hold() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, footnote, pg_temp
AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(
        hashtextextended('footnote hold ' || NEW.workspace_id::text, 0)
    );
    RETURN NEW;
END;
$$;
REVOKE EXECUTE ON FUNCTION under_legal_hold, refuse_under_legal_hold, set_legal_hold FROM PUBLIC;
GRANT EXECUTE ON FUNCTION under_legal_hold TO footnote_app;

CREATE TRIGGER set_legal_hold BEFORE INSERT ON legal_holds
    FOR EACH ROW EXECUTE FUNCTION set_legal_hold();
CREATE TRIGGER keep_what_is_held BEFORE DELETE ON legal_holds
    FOR EACH ROW WHEN (OLD.lifted_at IS NULL) EXECUTE FUNCTION refuse_under_legal_hold('any');
CREATE TRIGGER keep_what_is_held BEFORE DELETE ON documents
    FOR EACH ROW EXECUTE FUNCTION refuse_under_legal_hold('document');
CREATE TRIGGER keep_what_is_held BEFORE DELETE ON document_versions
    FOR EACH ROW EXECUTE FUNCTION refuse_under_legal_hold('document');
CREATE TRIGGER keep_what_is_held BEFORE DELETE ON conversations
    FOR EACH ROW EXECUTE FUNCTION refuse_under_legal_hold('custodian');
CREATE TRIGGER keep_what_is_held BEFORE DELETE ON messages
    FOR EACH ROW EXECUTE FUNCTION refuse_under_legal_hold('custodian');
CREATE TRIGGER keep_what_is_held BEFORE DELETE ON feedback
    FOR EACH ROW EXECUTE FUNCTION refuse_under_legal_hold('custodian');
CREATE TRIGGER keep_what_is_held BEFORE DELETE ON audit_queries
    FOR EACH ROW EXECUTE FUNCTION refuse_under_legal_hold('query');
-- Without its key, or without itself, a workspace has nothing that is held.
CREATE TRIGGER keep_what_is_held BEFORE DELETE ON data_keys
    FOR EACH ROW WHEN (OLD.state = 'current') EXECUTE FUNCTION refuse_under_legal_hold('any');
CREATE TRIGGER keep_what_is_held BEFORE DELETE ON workspaces
    FOR EACH ROW EXECUTE FUNCTION refuse_under_legal_hold('any');
-- A question may be emptied where a document that it quotes is erased; a new data key changes it,
-- and does not empty it.
CREATE TRIGGER keep_what_is_said BEFORE UPDATE OF text ON messages
    FOR EACH ROW WHEN (NEW.text = '' AND OLD.text <> '')
    EXECUTE FUNCTION refuse_under_legal_hold('custodian');
