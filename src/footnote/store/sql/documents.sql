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
-- By external id first: a path that changes back to earlier bytes is a version, not a copy.
-- An attachment belongs to its parent and is never taken for another document.
SELECT * FROM documents
WHERE workspace_id = %(workspace_id)s AND collection = %(collection)s
    AND (
        external_id = %(external_id)s
        OR (
            content_sha256 = %(content_sha256)s
            AND %(parent_id)s::uuid IS NULL AND parent_id IS NULL
        )
    )
ORDER BY external_id = %(external_id)s DESC NULLS LAST, created_at, document_id
LIMIT 1

-- name: ensure_collection
INSERT INTO collections (workspace_id, name) VALUES (%(workspace_id)s, %(collection)s)
ON CONFLICT DO NOTHING

-- name: insert
INSERT INTO documents (
    workspace_id, document_id, collection, external_id, parent_id, filename, title, media_type,
    source_type, byte_size, content_sha256, status, stage, failure, version, metadata, tags, access,
    created_by
) VALUES (
    %(workspace_id)s, %(document_id)s, %(collection)s, %(external_id)s, %(parent_id)s,
    %(filename)s, %(filename)s, %(media_type)s, %(source_type)s, %(byte_size)s,
    %(content_sha256)s, %(status)s, 'receive', %(failure)s, 1, %(metadata)s, %(tags)s,
    %(access)s, %(created_by)s
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

-- name: get
SELECT * FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s

-- name: called
SELECT * FROM documents
WHERE workspace_id = %(workspace_id)s
    AND (
        filename = %(called)s
        OR document_id BETWEEN %(first_id)s::uuid AND %(last_id)s::uuid
    )
ORDER BY created_at DESC, document_id
LIMIT %(limit)s

-- name: names_of_collections
-- Of what the principal may see: a collection of nothing but hidden documents is none.
SELECT name FROM collections
WHERE workspace_id = %(workspace_id)s AND EXISTS (
    SELECT FROM documents
    WHERE documents.workspace_id = collections.workspace_id
        AND documents.collection = collections.name
)
ORDER BY name

-- name: with_attachments
WITH RECURSIVE family AS (
    SELECT * FROM documents
    WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(document_ids)s)
    UNION
    SELECT child.* FROM documents AS child
    JOIN family ON child.workspace_id = family.workspace_id
        AND child.parent_id = family.document_id
)
SELECT * FROM family ORDER BY created_at, document_id

-- name: list
SELECT * FROM documents
WHERE workspace_id = %(workspace_id)s
    AND (%(collection)s::text IS NULL OR collection = %(collection)s)
    AND (%(status)s::text IS NULL OR status = %(status)s)
    AND (
        %(before)s::timestamptz IS NULL
        OR (created_at, document_id) < (%(before)s, %(before_id)s)
    )
ORDER BY created_at DESC, document_id DESC
LIMIT %(limit)s

-- name: stored_version
-- A job for a version that was replaced or deleted finds nothing and ends.
SELECT given.filename, given.media_type, given.byte_size, given.blob_key, documents.access
FROM documents JOIN document_versions AS given USING (workspace_id, document_id, version)
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s AND published_version IS DISTINCT FROM %(version)s

-- name: begin_stage
-- A search may filter by the time of a published document's last change, and stages pass without
-- a new generation; so it is kept until the new version is published or fails.
UPDATE documents SET
    status = 'ingesting', stage = %(stage)s, progress_done = NULL, progress_total = NULL,
    updated_at = CASE WHEN isempty(chunks) THEN now() ELSE updated_at END
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s AND published_version IS DISTINCT FROM %(version)s

-- name: note_progress
UPDATE documents SET progress_done = %(done)s, progress_total = %(total)s
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s AND published_version IS DISTINCT FROM %(version)s
    AND status = 'ingesting' AND stage = %(stage)s

-- name: attachments_from
SELECT document_id FROM documents
WHERE workspace_id = %(workspace_id)s AND parent_id = %(parent_id)s AND external_id >= %(first)s
ORDER BY external_id

-- name: mark_failed
UPDATE documents SET
    status = 'failed', stage = %(stage)s, failure = %(failure)s, updated_at = now()
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s AND status <> 'indexed'

-- name: drop_stage_results
DELETE FROM stage_results
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version <= %(version)s

-- name: save_stage_result
-- Nothing is kept of a version that was replaced, deleted, or brought to rest by another worker
-- meanwhile; FOR SHARE waits for one that is just doing so.
INSERT INTO stage_results (workspace_id, document_id, version, stage, payload)
SELECT workspace_id, document_id, version, %(stage)s, %(payload)s FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s AND published_version IS DISTINCT FROM %(version)s
    AND status = 'ingesting'
FOR SHARE
ON CONFLICT (workspace_id, document_id, version, stage) DO UPDATE SET payload = EXCLUDED.payload

-- name: append_stage_result
UPDATE stage_results SET payload = payload || %(payload)s::bytea
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s AND stage = %(stage)s

-- name: load_stage_result
SELECT substring(payload FROM %(start)s FOR %(length)s) AS part FROM stage_results
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s AND stage = %(stage)s

-- name: depth
-- Up the chain of parents, one look-up each.
WITH RECURSIVE above AS (
    SELECT parent_id, 0 AS depth FROM documents
    WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    UNION ALL
    SELECT parent.parent_id, above.depth + 1 FROM above
    JOIN documents AS parent ON parent.document_id = above.parent_id
    WHERE parent.workspace_id = %(workspace_id)s
)
SELECT max(depth) AS depth FROM above
