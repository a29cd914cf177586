-- migration: expand
-- For whom a worker fetches a pushed URL and follows a source: what their credential said.
-- Safe before a deploy: it only adds, and NULL stands in what older versions write.

ALTER TABLE ingest_requests
    ADD COLUMN actor_groups text[],
    ADD COLUMN actor_role text,
    -- An object of roles by the names of collections.
    ADD COLUMN actor_collections jsonb,
    ADD COLUMN actor_credential text;
COMMENT ON COLUMN ingest_requests.actor_role IS
    'Of principal, as the credential said, without what the workspace granted; so are the groups '
    'and collections. Of a URL alone.';

ALTER TABLE workspace_sources
    ADD COLUMN actor_groups text[],
    ADD COLUMN actor_role text,
    ADD COLUMN actor_collections jsonb,
    ADD COLUMN actor_credential text;
COMMENT ON COLUMN workspace_sources.actor_role IS
    'Of added_by, as the credential said, without what the workspace granted; so are the groups '
    'and collections.';
