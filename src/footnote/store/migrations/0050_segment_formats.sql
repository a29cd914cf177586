-- migration: expand
-- Says of each segment in which form its posting lists are kept, so that what is in an older one is
-- found and counted, and none is misread by a program that does not know a newer one.
-- Programs of before say 1 of what they write, and have it written anew once more.

ALTER TABLE segments ADD COLUMN format smallint NOT NULL DEFAULT 1;
COMMENT ON COLUMN segments.format IS
    '1: rows of postings, one for each term; 2: posting_blocks (index/segments.py has the newest).';

-- Workspaces whose upkeep a new version makes due: segments of older forms, and the current lane,
-- for whose model the version may have other weights. Ids and counts alone leave it.
CREATE FUNCTION upkeep_after_upgrade(newest smallint)
RETURNS TABLE (
    workspace_id uuid, older_segments bigint, lanes_filling bigint,
    name text, provider text, model text, dimensions integer, revision text
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    outer_workspace text := COALESCE(current_setting('footnote.workspace_id', true), '');
    each uuid;
BEGIN
    FOR each IN SELECT d.workspace_id FROM footnote.workspace_directory d ORDER BY d.workspace_id
    LOOP
        PERFORM set_config('footnote.workspace_id', each::text, true);
        RETURN QUERY
            SELECT each,
                (SELECT count(*) FROM footnote.segments s
                 WHERE s.workspace_id = each AND s.format < newest),
                (SELECT count(*) FROM footnote.lanes l
                 WHERE l.workspace_id = each AND l.state = 'building'),
                l.name, l.provider, l.model, l.dimensions, l.revision
            FROM (VALUES (true)) AS one
            LEFT JOIN footnote.lanes l ON l.workspace_id = each AND l.state = 'active'
                AND l.name = 'document';
    END LOOP;
    PERFORM set_config('footnote.workspace_id', outer_workspace, true);
END;
$$;
REVOKE EXECUTE ON FUNCTION upkeep_after_upgrade FROM PUBLIC;
GRANT EXECUTE ON FUNCTION upkeep_after_upgrade TO footnote_app;
