-- migration: expand
-- How lists of documents are sorted, and the views of them that people keep.
-- Safe before a deploy: it only adds. It writes every document anew and builds indexes, for which
-- readers and writers of documents wait.

-- What a text is sorted by: case and accents aside, and no longer than an index takes.
CREATE FUNCTION sort_text(plain text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(
    regexp_replace(normalize(folded(plain), NFKD), '[\u0300-\u036f]', '', 'g'), 200
);

-- Columns and no expressions: under row-level security an index serves a comparison of a function's
-- result only where that function is known to tell nothing, which a superuser alone may say.
ALTER TABLE documents
    ADD COLUMN title_sort text COLLATE "C" NOT NULL GENERATED ALWAYS AS (sort_text(title)) STORED,
    ADD COLUMN pages_sort integer NOT NULL GENERATED ALWAYS AS (COALESCE(page_count, 0)) STORED;
COMMENT ON COLUMN documents.title_sort IS 'Means nothing where titles are encrypted.';

DROP INDEX documents_recent;
CREATE INDEX documents_recent ON documents (workspace_id, created_at, document_id);
CREATE INDEX documents_by_title ON documents (workspace_id, title_sort, document_id);
CREATE INDEX documents_by_size ON documents (workspace_id, byte_size, document_id);
CREATE INDEX documents_by_pages ON documents (workspace_id, pages_sort, document_id);
CREATE INDEX documents_by_status ON documents (workspace_id, status, document_id);
CREATE INDEX documents_by_collection ON documents (workspace_id, collection, document_id);

CREATE TABLE saved_views (
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    principal text NOT NULL,
    view_id uuid NOT NULL,
    -- The name and what the view shows, encrypted where content is.
    name text NOT NULL CHECK (name <> ''),
    view jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, principal, view_id)
);

ALTER TABLE saved_views ENABLE ROW LEVEL SECURITY;
ALTER TABLE saved_views FORCE ROW LEVEL SECURITY;
CREATE POLICY within_workspace ON saved_views
    USING (
        workspace_id = current_workspace()
        AND (
            '*' = ANY ((SELECT current_access())::text[])
            OR principal = ANY ((SELECT current_access())::text[])
        )
    );
GRANT SELECT, INSERT, UPDATE, DELETE ON saved_views TO footnote_app;
