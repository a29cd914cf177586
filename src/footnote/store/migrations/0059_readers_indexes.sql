-- migration: expand, replaces chunks.chunks_of_kind
-- With what the policy asks for, so that a search among kinds still never touches the texts; and the
-- documents whose rows do not say yet who may see them.

CREATE INDEX CONCURRENTLY chunks_by_kind
    ON chunks (workspace_id, kind, chunk_no) INCLUDE (readers, document_id);
CREATE INDEX CONCURRENTLY documents_to_pass_on
    ON documents (workspace_id, document_id) WHERE NOT readers_passed_on;
DROP INDEX CONCURRENTLY IF EXISTS chunks_of_kind;
