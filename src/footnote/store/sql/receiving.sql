-- name: one_receipt_at_a_time
-- Two uploads of the same bytes, or under the same external id, must not both be the first.
SELECT pg_advisory_xact_lock(hashtextextended(key, 0)) FROM (
    SELECT DISTINCT %(workspace_id)s::text || key AS key
    FROM unnest(ARRAY[encode(%(content_sha256)s, 'hex'), %(collection)s || %(external_id)s])
        AS keys (key)
    WHERE key IS NOT NULL
    ORDER BY 1
) AS locks

-- name: known
-- By external id first: a path that changes back to earlier bytes is a version. By its bytes only
-- where it has no external id, or another one before: of two things with ids of their own each
-- changes and goes by itself. Empty files have no content in common: each goes by its name.
-- An attachment belongs to its parent and is never taken for another document, nor is a document
-- for an attachment whose external id it was given.
-- Each is looked up by its own index, whatever the planner knows of an "or".
SELECT * FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id = ANY (ARRAY(
    SELECT document_id FROM documents
    WHERE workspace_id = %(workspace_id)s AND collection = %(collection)s
        AND external_id = %(external_id)s AND parent_id IS NOT DISTINCT FROM %(parent_id)s::uuid
    UNION ALL
    SELECT document_id FROM documents
    WHERE workspace_id = %(workspace_id)s AND collection = %(collection)s
        AND content_sha256 = %(content_sha256)s
        AND CASE
            WHEN %(external_id)s::text IS NULL THEN external_id IS NULL
                AND (%(byte_size)s > 0 OR filename = %(filename)s)
            ELSE external_id = %(former_external_id)s
        END
        AND %(parent_id)s::uuid IS NULL AND parent_id IS NULL
))
ORDER BY external_id = %(external_id)s DESC NULLS LAST, created_at, document_id
LIMIT 1

-- name: ensure_collection
INSERT INTO collections (workspace_id, name) VALUES (%(workspace_id)s, %(collection)s)
ON CONFLICT DO NOTHING

-- name: insert
INSERT INTO documents (
    workspace_id, document_id, collection, external_id, parent_id, filename, title, media_type,
    source_type, byte_size, content_sha256, status, stage, failure, version, metadata, tags,
    visibility, access, created_by
) VALUES (
    %(workspace_id)s, %(document_id)s, %(collection)s, %(external_id)s, %(parent_id)s,
    %(filename)s, %(title)s, %(media_type)s, %(source_type)s, %(byte_size)s,
    %(content_sha256)s, %(status)s, 'receive', %(failure)s, 1, %(metadata)s, %(tags)s,
    %(visibility)s, %(access)s, %(created_by)s
)
RETURNING *

-- name: insert_version
INSERT INTO document_versions (
    workspace_id, document_id, version, filename, media_type, byte_size, content_sha256, blob_key
) VALUES (
    %(workspace_id)s, %(document_id)s, %(version)s, %(filename)s, %(media_type)s, %(byte_size)s,
    %(content_sha256)s, %(blob_key)s
)

-- name: announce
-- What readers cached of a generation is valid for it alone.
UPDATE index_states SET generation = generation + 1 WHERE workspace_id = %(workspace_id)s

-- name: tag
-- An attachment is tagged as what it is attached to.
WITH RECURSIVE family AS (
    SELECT document_id FROM documents
    WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    UNION
    SELECT child.document_id FROM documents AS child
    JOIN family ON child.parent_id = family.document_id
    WHERE child.workspace_id = %(workspace_id)s
)
UPDATE documents SET tags = %(tags)s, updated_at = now()
WHERE workspace_id = %(workspace_id)s AND document_id IN (SELECT document_id FROM family)
RETURNING *

-- name: change_metadata
UPDATE documents SET metadata = (metadata || %(metadata)s) - %(removed)s::text[], updated_at = now()
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s

-- name: new_version
-- The published version stays searchable until the new one is.
UPDATE documents SET
    version = %(version)s, filename = %(filename)s, media_type = %(media_type)s,
    byte_size = %(byte_size)s, content_sha256 = %(content_sha256)s,
    metadata = %(metadata)s, status = %(status)s, stage = 'receive', failure = %(failure)s,
    updated_at = now()
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
RETURNING *

-- name: requeue
UPDATE documents SET
    status = 'queued', failure = NULL, media_type = %(media_type)s, updated_at = now()
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
RETURNING *

-- name: restore_bytes
-- Of a file that was too large before they were not kept.
UPDATE document_versions SET blob_key = %(blob_key)s, media_type = %(media_type)s
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s

-- name: requeue_failed
-- Of two that ask at once, one finds it queued.
UPDATE documents SET
    status = 'queued', stage = 'receive', failure = NULL, updated_at = now(),
    media_type = COALESCE(%(media_type)s, media_type)
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s AND status = 'failed'
RETURNING *

-- name: waiting_here
-- Counts no further than the limit, over an index that holds nothing but what waits.
SELECT count(*) AS waiting FROM (
    SELECT FROM documents
    WHERE workspace_id = %(workspace_id)s AND status IN ('queued', 'ingesting')
    LIMIT %(limit)s
) AS counted

-- name: waiting_anywhere
SELECT count(*) AS waiting FROM (
    SELECT FROM procrastinate_jobs
    WHERE status = 'todo' AND queue_name = %(queue)s
    LIMIT %(limit)s
) AS counted

-- name: wait_of_the_next
-- How long the job that is taken up next has waited. Its first event is that it was enqueued.
SELECT extract(epoch FROM now() - event.at)::float8 AS seconds FROM (
    SELECT id FROM procrastinate_jobs
    WHERE status = 'todo' AND queue_name = %(queue)s
    ORDER BY priority DESC, id
    LIMIT 1
) AS next
JOIN procrastinate_events AS event ON event.job_id = next.id
ORDER BY event.id
LIMIT 1
