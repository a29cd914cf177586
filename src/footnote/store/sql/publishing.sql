-- name: reserve
-- In a transaction of its own. Numbers of a publication that comes to nothing are nobody's.
UPDATE index_states SET next_chunk = next_chunk + %(chunks)s, next_segment = next_segment + 1
WHERE workspace_id = %(workspace_id)s
RETURNING next_chunk - %(chunks)s AS first_chunk, next_segment - 1 AS segment_id

-- name: is_wanted
-- As writing a chunk does, it keeps the document from being deleted, and from nothing else.
SELECT document_id FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s AND published_version IS DISTINCT FROM %(version)s
FOR KEY SHARE

-- name: lock_index
-- Publications, deletions and merges of the workspace end one after the other; readers notice.
UPDATE index_states SET generation = generation + 1 WHERE workspace_id = %(workspace_id)s
RETURNING next_chunk, hnsw_lane IS NOT NULL AS has_hnsw

-- name: lock_document
SELECT document_id, chunks, segment_id FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s AND published_version IS DISTINCT FROM %(version)s
FOR NO KEY UPDATE

-- name: insert_vectors
INSERT INTO embeddings (workspace_id, lane_id, chunk_no, text_hash, embedding)
SELECT %(workspace_id)s, %(lane_id)s, wanted.chunk_no, wanted.text_hash, found.embedding
FROM unnest(%(numbers)s::integer[], %(hashes)s::bytea[]) AS wanted (chunk_no, text_hash)
CROSS JOIN LATERAL (
    (
        SELECT known.embedding FROM embeddings AS known
        WHERE known.workspace_id = %(workspace_id)s AND known.lane_id = %(lane_id)s
            AND known.text_hash = wanted.text_hash
        LIMIT 1
    )
    UNION ALL
    (
        SELECT staged.embedding FROM staged_embeddings AS staged
        WHERE staged.workspace_id = %(workspace_id)s AND staged.lane_id = %(lane_id)s
            AND staged.text_hash = wanted.text_hash
    )
    LIMIT 1
) AS found

-- name: delete_vectors
DELETE FROM embeddings
WHERE workspace_id = %(workspace_id)s
    AND lane_id IN (SELECT lane_id FROM lanes WHERE workspace_id = %(workspace_id)s)
    AND chunk_no >= %(first)s AND chunk_no < %(end)s

-- name: delete_chunks
DELETE FROM chunks
WHERE workspace_id = %(workspace_id)s AND chunk_no >= %(first)s AND chunk_no < %(end)s

-- name: segment_sizes
SELECT segment_id, chunk_count FROM segments
WHERE workspace_id = %(workspace_id)s AND segment_id = ANY (%(segment_ids)s::integer[])
ORDER BY segment_id

-- name: drop_segments
DELETE FROM segments
WHERE workspace_id = %(workspace_id)s AND segment_id = ANY (%(segment_ids)s::integer[])

-- name: drop_postings
WITH lists AS (
    DELETE FROM postings
    WHERE workspace_id = %(workspace_id)s AND segment_id = ANY (%(segment_ids)s::integer[])
)
DELETE FROM posting_blocks
WHERE workspace_id = %(workspace_id)s AND segment_id = ANY (%(segment_ids)s::integer[])

-- name: mark_dead
UPDATE segments SET dead = dead + %(chunks)s::int4multirange
WHERE workspace_id = %(workspace_id)s AND segment_id = %(segment_id)s

-- name: insert_chunks
-- Some hundred rows in one statement: one by one, policies, keys and plans are set up for each. Who may
-- see them cannot change before they are there to be changed.
WITH held AS MATERIALIZED (
    SELECT readers_of(access, collection) AS readers FROM documents
    WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    FOR KEY SHARE
)
INSERT INTO chunks (
    workspace_id, chunk_no, document_id, version, ordinal, kind, text, body_offset, char_start,
    char_end, spans, heading_path, page_start, page_end, paragraph_start, paragraph_end,
    token_count, confidence, context, suspicious, readers
)
SELECT
    %(workspace_id)s, chunk_no, %(document_id)s, %(version)s, ordinal, kind, text, body_offset,
    char_start, char_end, spans, heading_path, page_start, page_end, paragraph_start,
    paragraph_end, token_count, confidence, context, suspicious, (SELECT readers FROM held)
FROM json_to_recordset(%(rows)s) AS rows (
    chunk_no integer, ordinal integer, kind text, text text, body_offset integer,
    char_start integer, char_end integer, spans jsonb, heading_path text[], page_start integer,
    page_end integer, paragraph_start integer, paragraph_end integer, token_count integer,
    confidence real, context text, suspicious boolean
)

-- name: insert_segment
INSERT INTO segments (workspace_id, segment_id, chunk_count, chunk_numbers, lengths, format)
VALUES (
    %(workspace_id)s, %(segment_id)s, %(chunk_count)s, %(chunk_numbers)s, %(lengths)s, %(format)s
)

-- name: publish_document
UPDATE documents SET
    status = 'indexed', stage = 'publish', failure = NULL,
    published_version = %(version)s, segment_id = %(segment_id)s, chunks = %(chunks)s::int4range,
    title = %(title)s, language = %(language)s, document_class = %(document_class)s,
    page_count = %(page_count)s, summary = %(summary)s, keywords = %(keywords)s,
    keywords_among = %(keywords_among)s,
    sections = %(sections)s, dates = %(dates)s, metadata = %(metadata)s || metadata,
    updated_at = now()
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s

-- name: note_reader
UPDATE document_versions SET read_for_orders_with = %(reader)s
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s

-- name: keep_text
UPDATE document_versions SET canonical_text = %(text)s
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s

-- name: append_text
UPDATE document_versions SET canonical_text = canonical_text || %(text)s
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s

-- name: drop_stage_results
DELETE FROM stage_results
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version <= %(version)s

-- name: drop_staged_vectors
DELETE FROM staged_embeddings
WHERE workspace_id = %(workspace_id)s AND lane_id = %(lane_id)s
    AND text_hash = ANY (%(hashes)s::bytea[])

-- name: drop_staged_of_document
-- Those of a version that was replaced before it was published.
DELETE FROM staged_embeddings
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s

-- name: blobs_of_family
SELECT DISTINCT blob_key FROM document_versions AS gone
WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(document_ids)s)
    AND blob_key <> ''
    AND NOT EXISTS (
        SELECT FROM document_versions AS kept
        WHERE kept.workspace_id = gone.workspace_id
            AND kept.content_sha256 = gone.content_sha256
            AND kept.blob_key = gone.blob_key
            AND kept.document_id <> ALL (%(document_ids)s)
    )

-- name: delete_family
-- What was decided of names in them has no foreign key, as it may be of all documents.
WITH unassigned AS (
    DELETE FROM entity_assignments
    WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(document_ids)s)
)
DELETE FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(document_ids)s)

-- name: mark_failed
UPDATE documents SET
    status = 'failed', stage = %(stage)s, failure = %(failure)s, updated_at = now()
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s AND status <> 'indexed'
