-- migration: contract 0047
-- A version is written beside the one that it replaces, in the same transaction: each has every ordinal
-- once. Before, a document had, so the old version had to be gone first.
-- Programs of before go on: they still take the old version out first, and what they read by document
-- and ordinal is found by this index as it was by the other.

CREATE UNIQUE INDEX CONCURRENTLY chunks_in_version
    ON chunks (workspace_id, document_id, ordinal, version);

DROP INDEX CONCURRENTLY IF EXISTS chunks_in_document;
