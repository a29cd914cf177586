-- name: family
WITH RECURSIVE family AS (
    SELECT document_id, chunks FROM documents
    WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(document_ids)s)
    UNION
    SELECT child.document_id, child.chunks FROM documents AS child
    JOIN family ON child.parent_id = family.document_id
    WHERE child.workspace_id = %(workspace_id)s
)
SELECT document_id, chunks FROM family ORDER BY document_id

-- name: blobs
SELECT DISTINCT blob_key FROM document_versions
WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(document_ids)s)
    AND blob_key <> ''

-- name: users_of_blob
SELECT count(DISTINCT document_id) AS documents FROM document_versions
WHERE workspace_id = %(workspace_id)s AND content_sha256 = %(content_sha256)s
    AND blob_key = %(blob_key)s

-- name: tables
-- Every table that names documents, those that later versions add included. What goes with its
-- document says so by its foreign key.
SELECT class.relname AS name, EXISTS (
    SELECT FROM pg_constraint
    WHERE conrelid = class.oid AND confrelid = 'documents'::regclass
) OR class.relname = 'documents' AS owned
FROM pg_class AS class
JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid
WHERE class.relnamespace = 'footnote'::regnamespace AND class.relkind IN ('r', 'p')
    AND attribute.attname = 'document_id' AND NOT attribute.attisdropped
    AND has_table_privilege(class.oid, 'SELECT')
ORDER BY class.relname

-- name: of_documents
SELECT count(*) AS found FROM {table}
WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(document_ids)s)

-- name: chunks_by_number
SELECT count(*) AS found FROM unnest(%(chunks)s::int4multirange) AS wanted
JOIN chunks ON chunks.workspace_id = %(workspace_id)s
    AND chunk_no >= lower(wanted) AND chunk_no < upper(wanted)

-- name: vectors_by_number
SELECT count(*) AS found FROM unnest(%(chunks)s::int4multirange) AS wanted
JOIN lanes ON lanes.workspace_id = %(workspace_id)s
JOIN embeddings ON embeddings.workspace_id = %(workspace_id)s
    AND embeddings.lane_id = lanes.lane_id
    AND chunk_no >= lower(wanted) AND chunk_no < upper(wanted)

-- name: jobs
SELECT count(*) AS found FROM procrastinate_jobs
WHERE args ->> 'document_id' = ANY (%(document_names)s::text[])

-- name: answers
-- Those that name a document anywhere, or still say what a removed citation quoted.
SELECT count(*) AS found FROM messages
WHERE workspace_id = %(workspace_id)s AND answer IS NOT NULL AND (
    EXISTS (
        SELECT FROM unnest(%(document_names)s::text[]) AS name
        WHERE strpos(answer::text, name) > 0
    )
    OR EXISTS (
        SELECT FROM jsonb_array_elements(answer -> 'sentences') AS sentence
        JOIN jsonb_array_elements(answer -> 'removed_markers') AS removed (marker)
            ON sentence -> 'markers' @> removed.marker
        WHERE sentence ->> 'text' <> '' AND (answer ->> 'found')::boolean
    )
)

-- name: drop_jobs
-- One that is worked on ends by itself: it finds no document.
DELETE FROM procrastinate_jobs
WHERE args ->> 'document_id' = ANY (%(document_names)s::text[]) AND status <> 'doing'

-- name: segment_ids
SELECT segment_id, chunk_count FROM segments
WHERE workspace_id = %(workspace_id)s ORDER BY segment_id

-- name: segment_numbers
SELECT chunk_numbers FROM segments
WHERE workspace_id = %(workspace_id)s AND segment_id = %(segment_id)s
