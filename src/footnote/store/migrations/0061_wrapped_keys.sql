-- migration: expand
-- Whether anything is under a master key: where it is, a missing one is not replaced by another.
-- Safe before a deploy: it adds.

CREATE FUNCTION has_wrapped_keys()
RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    outer_workspace text := COALESCE(current_setting('footnote.workspace_id', true), '');
    each uuid;
    found_one boolean := false;
BEGIN
    FOR each IN SELECT d.workspace_id FROM footnote.workspace_directory d ORDER BY d.workspace_id
    LOOP
        PERFORM footnote.set_local('footnote.workspace_id', each::text);
        -- An encrypted workspace without keys waits for those of an export, which are wrapped too.
        found_one := EXISTS (SELECT FROM footnote.data_keys k WHERE k.workspace_id = each)
            OR EXISTS (
                SELECT FROM footnote.workspaces w
                WHERE w.workspace_id = each AND w.encryption = 'on'
            );
        EXIT WHEN found_one;
    END LOOP;
    PERFORM footnote.set_local('footnote.workspace_id', outer_workspace);
    RETURN found_one;
END;
$$;

COMMENT ON FUNCTION has_wrapped_keys IS
    'Whether any workspace has a data key, or content that is under one.';
REVOKE EXECUTE ON FUNCTION has_wrapped_keys FROM PUBLIC;
GRANT EXECUTE ON FUNCTION has_wrapped_keys TO footnote_app;
