-- migration: expand, replaces document_versions.within_workspace, stage_results.within_workspace, chunks.within_workspace, document_embeddings.within_workspace, sealed_texts.within_workspace, facts.within_workspace, cluster_members.within_workspace, document_entities.within_workspace, summary_sentences.within_workspace, written_sentences.within_workspace, source_entries.within_workspace, legal_holds.within_workspace, document_versions.copy_readers, stage_results.copy_readers, chunks.copy_readers, document_embeddings.copy_readers, sealed_texts.copy_readers, facts.copy_readers, cluster_members.copy_readers, document_entities.copy_readers, summary_sentences.copy_readers, written_sentences.copy_readers, source_entries.copy_readers, legal_holds.copy_readers, documents.pass_readers_on, documents.pass_readers_on_deleted
-- Each row under a document carries who may see it, so that row-level security compares the row with
-- the names of the caller and asks no other table. The database copies the list: when a row is written,
-- and to all rows when the document's changes. Programs of before write and read as they did. Rows of
-- before get theirs in the background (docs/upgrading.md); until then the document is looked up.

-- What a document's access comes to: without a list it is seen by whoever has a role there.
CREATE FUNCTION readers_of(access text[], collection text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN COALESCE(access, ARRAY['workspace:members', 'collection:' || collection]);

-- For rows that do not say who may see them yet. As the caller, whom the policy of documents binds. It is
-- not dear to the planner, which would otherwise start workers for a few thousand rows.
CREATE FUNCTION sees_document(here uuid, wanted uuid) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 1 SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN EXISTS (
        SELECT FROM footnote.documents WHERE workspace_id = here AND document_id = wanted
    );
END;
$$;

ALTER TABLE document_versions ADD COLUMN readers text[];
ALTER TABLE stage_results ADD COLUMN readers text[];
ALTER TABLE chunks ADD COLUMN readers text[];
ALTER TABLE document_embeddings ADD COLUMN readers text[];
ALTER TABLE sealed_texts ADD COLUMN readers text[];
ALTER TABLE facts ADD COLUMN readers text[];
ALTER TABLE cluster_members ADD COLUMN readers text[];
ALTER TABLE document_entities ADD COLUMN readers text[];
ALTER TABLE summary_sentences ADD COLUMN readers text[];
ALTER TABLE written_sentences ADD COLUMN readers text[];
ALTER TABLE source_entries ADD COLUMN readers text[];
ALTER TABLE legal_holds ADD COLUMN readers text[];
COMMENT ON COLUMN chunks.readers IS
    'Access names that may see the row, as readers_of has them of its document; null in rows of before.';

-- False for what was there: its rows are still to be given theirs.
ALTER TABLE documents ADD COLUMN readers_passed_on boolean NOT NULL DEFAULT false;
ALTER TABLE documents ALTER COLUMN readers_passed_on SET DEFAULT true;
COMMENT ON COLUMN documents.readers_passed_on IS
    'Whether the rows under it carry who may see them; set to true it has them do so.';

-- As the foreign key does, it keeps the document from being deleted, and before it looks: what changes
-- the list waits for the end of this transaction, or this for the end of that.
CREATE FUNCTION copy_readers() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    workspace text := COALESCE(current_setting('footnote.workspace_id', true), '');
    access text := COALESCE(current_setting('footnote.access', true), '');
    -- Jobs see every document already; whoever else writes may not see the one they write under.
    may_be_hidden boolean := workspace <> NEW.workspace_id::text
        OR '*' <> ALL (footnote.current_access());
BEGIN
    IF NEW.document_id IS NULL THEN
        RETURN NEW;
    END IF;
    IF may_be_hidden THEN
        PERFORM set_config('footnote.workspace_id', NEW.workspace_id::text, true);
        PERFORM set_config('footnote.access', '{*}', true);
    END IF;
    SELECT footnote.readers_of(documents.access, documents.collection) INTO NEW.readers
    FROM footnote.documents
    WHERE documents.workspace_id = NEW.workspace_id AND documents.document_id = NEW.document_id
    FOR KEY SHARE;
    IF NOT FOUND THEN
        NEW.readers := '{}';
    END IF;
    IF may_be_hidden THEN
        PERFORM set_config('footnote.workspace_id', workspace, true);
        PERFORM set_config('footnote.access', access, true);
    END IF;
    RETURN NEW;
END;
$$;

CREATE FUNCTION pass_readers_on() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    workspace text := COALESCE(current_setting('footnote.workspace_id', true), '');
    access text := COALESCE(current_setting('footnote.access', true), '');
    now_readers text[];
BEGIN
    PERFORM set_config('footnote.workspace_id', OLD.workspace_id::text, true);
    PERFORM set_config('footnote.access', '{*}', true);
    IF TG_OP = 'DELETE' THEN
        -- A hold outlives its document, and is seen by nobody then.
        UPDATE footnote.legal_holds SET readers = '{}'
        WHERE workspace_id = OLD.workspace_id AND document_id = OLD.document_id;
    ELSE
        now_readers := footnote.readers_of(NEW.access, NEW.collection);
        -- Whoever writes rows under it holds it until they can be seen. Those are waited for.
        PERFORM FROM footnote.documents
        WHERE workspace_id = NEW.workspace_id AND document_id = NEW.document_id
        FOR UPDATE;
        UPDATE footnote.document_versions SET readers = now_readers
        WHERE workspace_id = NEW.workspace_id AND document_id = NEW.document_id
            AND readers IS DISTINCT FROM now_readers;
        UPDATE footnote.stage_results SET readers = now_readers
        WHERE workspace_id = NEW.workspace_id AND document_id = NEW.document_id
            AND readers IS DISTINCT FROM now_readers;
        UPDATE footnote.chunks SET readers = now_readers
        WHERE workspace_id = NEW.workspace_id AND document_id = NEW.document_id
            AND readers IS DISTINCT FROM now_readers;
        UPDATE footnote.document_embeddings SET readers = now_readers
        WHERE workspace_id = NEW.workspace_id AND document_id = NEW.document_id
            AND readers IS DISTINCT FROM now_readers;
        UPDATE footnote.sealed_texts SET readers = now_readers
        WHERE workspace_id = NEW.workspace_id AND document_id = NEW.document_id
            AND readers IS DISTINCT FROM now_readers;
        UPDATE footnote.facts SET readers = now_readers
        WHERE workspace_id = NEW.workspace_id AND document_id = NEW.document_id
            AND readers IS DISTINCT FROM now_readers;
        UPDATE footnote.cluster_members SET readers = now_readers
        WHERE workspace_id = NEW.workspace_id AND document_id = NEW.document_id
            AND readers IS DISTINCT FROM now_readers;
        UPDATE footnote.document_entities SET readers = now_readers
        WHERE workspace_id = NEW.workspace_id AND document_id = NEW.document_id
            AND readers IS DISTINCT FROM now_readers;
        UPDATE footnote.summary_sentences SET readers = now_readers
        WHERE workspace_id = NEW.workspace_id AND document_id = NEW.document_id
            AND readers IS DISTINCT FROM now_readers;
        UPDATE footnote.written_sentences SET readers = now_readers
        WHERE workspace_id = NEW.workspace_id AND document_id = NEW.document_id
            AND readers IS DISTINCT FROM now_readers;
        UPDATE footnote.source_entries SET readers = now_readers
        WHERE workspace_id = NEW.workspace_id AND document_id = NEW.document_id
            AND readers IS DISTINCT FROM now_readers;
        UPDATE footnote.legal_holds SET readers = now_readers
        WHERE workspace_id = NEW.workspace_id AND document_id = NEW.document_id
            AND readers IS DISTINCT FROM now_readers;
        -- Events told what they told: those of before the change are seen by whoever sees the document now.
        UPDATE footnote.events SET access = NEW.access
        WHERE workspace_id = NEW.workspace_id AND document_id = NEW.document_id
            AND events.access IS DISTINCT FROM NEW.access;
    END IF;
    PERFORM set_config('footnote.workspace_id', workspace, true);
    PERFORM set_config('footnote.access', access, true);
    RETURN NULL;
END;
$$;
REVOKE EXECUTE ON FUNCTION copy_readers, pass_readers_on FROM PUBLIC;

-- Has the rows of some documents of before carry who may see them; how many documents that were. One that
-- somebody else holds is left for later.
CREATE FUNCTION pass_readers_on_to_rows(most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    here uuid := footnote.current_workspace();
    outside text := COALESCE(current_setting('footnote.access', true), '');
    done integer;
BEGIN
    PERFORM set_config('footnote.access', '{*}', true);
    UPDATE footnote.documents SET readers_passed_on = true
    WHERE workspace_id = here AND document_id IN (
        SELECT waiting.document_id FROM footnote.documents AS waiting
        WHERE waiting.workspace_id = here AND NOT waiting.readers_passed_on
        ORDER BY waiting.document_id
        LIMIT most
        FOR UPDATE SKIP LOCKED
    );
    GET DIAGNOSTICS done = ROW_COUNT;
    IF done = 0 THEN
        -- Of documents that are gone.
        UPDATE footnote.legal_holds AS hold SET readers = '{}'
        WHERE workspace_id = here AND readers IS NULL AND document_id IS NOT NULL AND NOT EXISTS (
            SELECT FROM footnote.documents
            WHERE documents.workspace_id = here AND documents.document_id = hold.document_id
        );
    END IF;
    PERFORM set_config('footnote.access', outside, true);
    RETURN done;
END;
$$;

-- In which workspaces there are such, and how many. Ids and counts alone leave it.
CREATE FUNCTION readers_to_pass_on() RETURNS TABLE (workspace_id uuid, documents bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    outer_workspace text := COALESCE(current_setting('footnote.workspace_id', true), '');
    outside text := COALESCE(current_setting('footnote.access', true), '');
    each uuid;
BEGIN
    PERFORM footnote.set_local('footnote.access', '{*}');
    FOR each IN SELECT d.workspace_id FROM footnote.workspace_directory d ORDER BY d.workspace_id
    LOOP
        PERFORM footnote.set_local('footnote.workspace_id', each::text);
        RETURN QUERY
            SELECT each, (
                SELECT count(*) FROM footnote.documents waiting
                WHERE waiting.workspace_id = each AND NOT waiting.readers_passed_on
            ) + (
                SELECT count(*) FROM footnote.legal_holds hold
                WHERE hold.workspace_id = each AND hold.readers IS NULL
                    AND hold.document_id IS NOT NULL AND NOT EXISTS (
                        SELECT FROM footnote.documents gone
                        WHERE gone.workspace_id = each AND gone.document_id = hold.document_id
                    )
            );
    END LOOP;
    PERFORM footnote.set_local('footnote.workspace_id', outer_workspace);
    PERFORM footnote.set_local('footnote.access', outside);
END;
$$;
REVOKE EXECUTE ON FUNCTION pass_readers_on_to_rows, readers_to_pass_on FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pass_readers_on_to_rows, readers_to_pass_on TO footnote_app;

CREATE TRIGGER copy_readers BEFORE INSERT ON document_versions
    FOR EACH ROW EXECUTE FUNCTION copy_readers();
CREATE TRIGGER copy_readers BEFORE INSERT ON stage_results
    FOR EACH ROW EXECUTE FUNCTION copy_readers();
-- A publication writes thousands of rows, and reads the list once.
CREATE TRIGGER copy_readers BEFORE INSERT ON chunks
    FOR EACH ROW WHEN (NEW.readers IS NULL) EXECUTE FUNCTION copy_readers();
CREATE TRIGGER copy_readers BEFORE INSERT ON document_embeddings
    FOR EACH ROW EXECUTE FUNCTION copy_readers();
CREATE TRIGGER copy_readers BEFORE INSERT ON sealed_texts
    FOR EACH ROW EXECUTE FUNCTION copy_readers();
CREATE TRIGGER copy_readers BEFORE INSERT ON facts
    FOR EACH ROW EXECUTE FUNCTION copy_readers();
CREATE TRIGGER copy_readers BEFORE INSERT ON cluster_members
    FOR EACH ROW EXECUTE FUNCTION copy_readers();
CREATE TRIGGER copy_readers BEFORE INSERT ON document_entities
    FOR EACH ROW EXECUTE FUNCTION copy_readers();
CREATE TRIGGER copy_readers BEFORE INSERT ON summary_sentences
    FOR EACH ROW EXECUTE FUNCTION copy_readers();
CREATE TRIGGER copy_readers BEFORE INSERT ON written_sentences
    FOR EACH ROW EXECUTE FUNCTION copy_readers();
CREATE TRIGGER copy_readers BEFORE INSERT ON source_entries
    FOR EACH ROW EXECUTE FUNCTION copy_readers();
-- By its name before set_legal_hold: a deletion holds the document before it asks for that one's lock.
CREATE TRIGGER copy_readers BEFORE INSERT ON legal_holds
    FOR EACH ROW EXECUTE FUNCTION copy_readers();
CREATE TRIGGER pass_readers_on AFTER UPDATE OF access, collection, readers_passed_on ON documents
    FOR EACH ROW
    WHEN (
        (OLD.access, OLD.collection, OLD.readers_passed_on)
        IS DISTINCT FROM (NEW.access, NEW.collection, NEW.readers_passed_on)
    )
    EXECUTE FUNCTION pass_readers_on();
CREATE TRIGGER pass_readers_on_deleted AFTER DELETE ON documents
    FOR EACH ROW EXECUTE FUNCTION pass_readers_on();

-- The names are read once a statement. A cluster, which takes no subquery, has them read for each row
-- (store/distribution_plan.py). Of a CASE the planner thinks that half the rows pass, as it did of the
-- look-up; of the comparison alone it would think that next to none do.
ALTER POLICY within_workspace ON document_versions
    USING (
        workspace_id = current_workspace()
        AND CASE
            WHEN '*' = ANY ((SELECT current_access())::text[]) OR readers && (SELECT current_access())
                THEN true
            ELSE readers IS NULL AND sees_document(workspace_id, document_id)
        END
    )
    WITH CHECK (workspace_id = current_workspace());
ALTER POLICY within_workspace ON stage_results
    USING (
        workspace_id = current_workspace()
        AND CASE
            WHEN '*' = ANY ((SELECT current_access())::text[]) OR readers && (SELECT current_access())
                THEN true
            ELSE readers IS NULL AND sees_document(workspace_id, document_id)
        END
    )
    WITH CHECK (workspace_id = current_workspace());
ALTER POLICY within_workspace ON chunks
    USING (
        workspace_id = current_workspace()
        AND CASE
            WHEN '*' = ANY ((SELECT current_access())::text[]) OR readers && (SELECT current_access())
                THEN true
            ELSE readers IS NULL AND sees_document(workspace_id, document_id)
        END
    )
    WITH CHECK (workspace_id = current_workspace());
ALTER POLICY within_workspace ON document_embeddings
    USING (
        workspace_id = current_workspace()
        AND CASE
            WHEN '*' = ANY ((SELECT current_access())::text[]) OR readers && (SELECT current_access())
                THEN true
            ELSE readers IS NULL AND sees_document(workspace_id, document_id)
        END
    )
    WITH CHECK (workspace_id = current_workspace());
ALTER POLICY within_workspace ON sealed_texts
    USING (
        workspace_id = current_workspace()
        AND CASE
            WHEN '*' = ANY ((SELECT current_access())::text[]) OR readers && (SELECT current_access())
                THEN true
            ELSE readers IS NULL AND sees_document(workspace_id, document_id)
        END
    )
    WITH CHECK (workspace_id = current_workspace());
ALTER POLICY within_workspace ON facts
    USING (
        workspace_id = current_workspace()
        AND CASE
            WHEN '*' = ANY ((SELECT current_access())::text[]) OR readers && (SELECT current_access())
                THEN true
            ELSE readers IS NULL AND sees_document(workspace_id, document_id)
        END
    )
    WITH CHECK (workspace_id = current_workspace());
ALTER POLICY within_workspace ON cluster_members
    USING (
        workspace_id = current_workspace()
        AND CASE
            WHEN '*' = ANY ((SELECT current_access())::text[]) OR readers && (SELECT current_access())
                THEN true
            ELSE readers IS NULL AND sees_document(workspace_id, document_id)
        END
    )
    WITH CHECK (workspace_id = current_workspace());
ALTER POLICY within_workspace ON document_entities
    USING (
        workspace_id = current_workspace()
        AND CASE
            WHEN '*' = ANY ((SELECT current_access())::text[]) OR readers && (SELECT current_access())
                THEN true
            ELSE readers IS NULL AND sees_document(workspace_id, document_id)
        END
    )
    WITH CHECK (workspace_id = current_workspace());
ALTER POLICY within_workspace ON summary_sentences
    USING (
        workspace_id = current_workspace()
        AND CASE
            WHEN '*' = ANY ((SELECT current_access())::text[]) OR readers && (SELECT current_access())
                THEN true
            ELSE readers IS NULL AND sees_document(workspace_id, document_id)
        END
    )
    WITH CHECK (workspace_id = current_workspace());
ALTER POLICY within_workspace ON written_sentences
    USING (
        workspace_id = current_workspace()
        AND CASE
            WHEN '*' = ANY ((SELECT current_access())::text[]) OR readers && (SELECT current_access())
                THEN true
            ELSE readers IS NULL AND sees_document(workspace_id, document_id)
        END
    )
    WITH CHECK (workspace_id = current_workspace());
ALTER POLICY within_workspace ON source_entries
    USING (
        workspace_id = current_workspace()
        AND CASE
            WHEN '*' = ANY ((SELECT current_access())::text[]) OR readers && (SELECT current_access())
                THEN true
            ELSE readers IS NULL AND sees_document(workspace_id, document_id)
        END
    );
-- Who may not see a document learns nothing of its hold.
ALTER POLICY within_workspace ON legal_holds
    USING (
        workspace_id = current_workspace()
        AND CASE
            WHEN document_id IS NULL OR '*' = ANY ((SELECT current_access())::text[])
                OR readers && (SELECT current_access())
                THEN true
            ELSE readers IS NULL AND sees_document(workspace_id, document_id)
        END
    )
    WITH CHECK (workspace_id = current_workspace());
