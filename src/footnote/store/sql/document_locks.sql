-- name: take_turns
-- Of publications and deletions of one document. Chunks that are being written keep its row from
-- being deleted, so a deletion must not wait for them with the index locked.
SELECT pg_advisory_xact_lock(hashtextextended(key, 2)) FROM (
    SELECT %(workspace_id)s::text || document_id AS key
    FROM unnest(%(document_ids)s::uuid[]) AS given (document_id)
    ORDER BY 1
) AS turns

-- name: family
WITH RECURSIVE family AS (
    SELECT document_id FROM documents
    WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    UNION
    SELECT child.document_id FROM documents AS child
    JOIN family ON child.parent_id = family.document_id
    WHERE child.workspace_id = %(workspace_id)s
)
SELECT document_id FROM family

-- name: lock_family
WITH RECURSIVE family AS (
    SELECT document_id FROM documents
    WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    UNION
    SELECT child.document_id FROM documents AS child
    JOIN family ON child.parent_id = family.document_id
    WHERE child.workspace_id = %(workspace_id)s
)
SELECT document_id, chunks, segment_id FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id IN (SELECT document_id FROM family)
ORDER BY document_id
FOR UPDATE
