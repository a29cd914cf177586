-- name: stored_version
-- A job for a version that was replaced or deleted finds nothing and ends.
SELECT given.filename, given.media_type, given.byte_size, given.blob_key,
    given.created_at AS received_at,
    EXISTS (
        SELECT FROM stage_results AS kept
        WHERE kept.workspace_id = %(workspace_id)s AND kept.document_id = %(document_id)s
            AND kept.version = %(version)s AND kept.stage = 'parse'
    ) AS was_parsed
FROM documents JOIN document_versions AS given USING (workspace_id, document_id, version)
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s AND published_version IS DISTINCT FROM %(version)s

-- name: wait_again
-- What an earlier try began waits until this one begins: nobody dies of what only waits.
UPDATE documents SET
    status = 'queued', stage = 'receive', progress_done = NULL, progress_total = NULL
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s AND status = 'ingesting'

-- name: access_of_parent
SELECT visibility, access FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s

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

-- name: attachments_from
-- What is under legal hold stays, though the new version has it no more.
SELECT document_id FROM documents
WHERE workspace_id = %(workspace_id)s AND parent_id = %(parent_id)s AND external_id >= %(first)s
    AND NOT under_legal_hold(document_id)
ORDER BY external_id

-- name: count_chunks
-- Of every segment, the dead among them: a keyword does not hang on a few.
SELECT coalesce(sum(octet_length(chunk_numbers) / 4), 0)::integer AS chunks FROM segments
WHERE workspace_id = %(workspace_id)s

-- name: missing_vectors
SELECT wanted.text_hash FROM unnest(%(hashes)s::bytea[]) AS wanted (text_hash)
WHERE NOT EXISTS (
    SELECT FROM embeddings AS known
    WHERE known.workspace_id = %(workspace_id)s AND known.lane_id = %(lane_id)s
        AND known.text_hash = wanted.text_hash
) AND NOT EXISTS (
    SELECT FROM staged_embeddings AS staged
    WHERE staged.workspace_id = %(workspace_id)s AND staged.lane_id = %(lane_id)s
        AND staged.text_hash = wanted.text_hash
)

-- name: clear_texts
-- Of the texts those that the published version has, too, and in which the same reader found no orders,
-- wherever they stand.
SELECT known.text_hash
FROM documents
JOIN document_versions AS published
    ON published.workspace_id = %(workspace_id)s AND published.document_id = documents.document_id
    AND published.version = documents.published_version
JOIN chunks
    ON chunks.workspace_id = %(workspace_id)s AND chunks.chunk_no >= lower(documents.chunks)
    AND chunks.chunk_no < upper(documents.chunks)
JOIN embeddings AS known
    ON known.workspace_id = %(workspace_id)s AND known.lane_id = %(lane_id)s
    AND known.chunk_no = chunks.chunk_no
WHERE documents.workspace_id = %(workspace_id)s AND documents.document_id = %(document_id)s
    AND published.read_for_orders_with = %(reader)s AND known.text_hash = ANY (%(hashes)s::bytea[])
GROUP BY known.text_hash
HAVING bool_and(chunks.suspicious IS FALSE)

-- name: hold_version
-- Until the vectors are committed it can be neither replaced nor deleted.
SELECT document_id FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version = %(version)s AND published_version IS DISTINCT FROM %(version)s
FOR SHARE

-- name: stage_vector
-- Two documents with one text may embed it at once; either vector will do.
INSERT INTO staged_embeddings (workspace_id, lane_id, text_hash, embedding, document_id)
VALUES (%(workspace_id)s, %(lane_id)s, %(text_hash)s, %(embedding)s, %(document_id)s)
ON CONFLICT (workspace_id, lane_id, text_hash) DO NOTHING
