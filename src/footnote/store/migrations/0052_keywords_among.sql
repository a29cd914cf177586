-- migration: expand
-- Beside how many chunks the keywords of a document were chosen, so that they are chosen anew when the
-- workspace has become another one.

ALTER TABLE documents ADD COLUMN keywords_among integer;
COMMENT ON COLUMN documents.keywords_among IS
    'Chunks of the workspace when its keywords were chosen; NULL where nobody knows.';
