-- name: summaries
-- Every collection, with what the principal may see of it.
SELECT collections.name, count(documents.document_id) AS documents,
    count(*) FILTER (WHERE status = 'queued') AS queued,
    count(*) FILTER (WHERE status = 'ingesting') AS ingesting,
    count(*) FILTER (WHERE status = 'indexed') AS indexed,
    count(*) FILTER (WHERE status = 'failed') AS failed,
    count(*) FILTER (WHERE visibility = 'workspace') AS workspace,
    count(*) FILTER (WHERE visibility = 'collection') AS collection,
    count(*) FILTER (WHERE visibility = 'private') AS private,
    coalesce(sum(CASE WHEN isempty(chunks) THEN 0 ELSE upper(chunks) - lower(chunks) END), 0)
        AS chunks,
    coalesce(sum(byte_size), 0)::bigint AS bytes, max(updated_at) AS changed_at
FROM collections
LEFT JOIN documents ON documents.workspace_id = %(workspace_id)s
    AND documents.collection = collections.name
WHERE collections.workspace_id = %(workspace_id)s
    AND (%(names)s::text[] IS NULL OR collections.name = ANY (%(names)s))
GROUP BY collections.name ORDER BY collections.name COLLATE "C"

-- name: lock
-- Until the transaction ends, so that nothing is handed in meanwhile.
SELECT name FROM collections
WHERE workspace_id = %(workspace_id)s AND name = %(collection)s
FOR UPDATE

-- name: has_documents
SELECT EXISTS (
    SELECT FROM documents
    WHERE workspace_id = %(workspace_id)s AND collection = %(collection)s
) AS found

-- name: remove_grants
DELETE FROM grants
WHERE workspace_id = %(workspace_id)s AND collection = %(collection)s

-- name: remove
DELETE FROM collections
WHERE workspace_id = %(workspace_id)s AND name = %(collection)s
