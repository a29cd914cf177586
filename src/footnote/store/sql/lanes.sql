-- name: lock_index
-- Publications, deletions and whatever else changes lanes wait; so what is looked at stands still.
SELECT generation FROM index_states WHERE workspace_id = %(workspace_id)s FOR UPDATE

-- name: current
SELECT lane_id, name, provider, model, dimensions, revision, languages FROM lanes
WHERE workspace_id = %(workspace_id)s AND name = %(name)s AND state = 'active'

-- name: is_current
SELECT FROM lanes
WHERE workspace_id = %(workspace_id)s AND lane_id = %(lane_id)s AND state = 'active'

-- name: lanes
SELECT lanes.*, reembeddings.state AS work, reembeddings.rollback,
    reembeddings.texts_per_second, reembeddings.texts_embedded, reembeddings.texts_reused,
    reembeddings.tokens, reembeddings.cost_usd, reembeddings.failure, reembeddings.started_at,
    reembeddings.updated_at, reembeddings.finished_at,
    CASE lanes.name
        WHEN 'fact' THEN (
            SELECT count(*) FROM fact_embeddings
            WHERE fact_embeddings.workspace_id = %(workspace_id)s
                AND fact_embeddings.lane_id = lanes.lane_id
        )
        ELSE (
            SELECT count(*) FROM embeddings
            WHERE embeddings.workspace_id = %(workspace_id)s
                AND embeddings.lane_id = lanes.lane_id
        )
    END AS chunks_embedded,
    CASE lanes.name
        WHEN 'fact' THEN (
            SELECT count(*) FROM facts
            WHERE workspace_id = %(workspace_id)s AND status <> 'superseded'
        )
        ELSE (
            SELECT coalesce(sum(upper(chunks) - lower(chunks)), 0) FROM documents
            WHERE workspace_id = %(workspace_id)s AND NOT isempty(chunks)
        )
    END AS chunks
FROM lanes LEFT JOIN reembeddings USING (workspace_id, lane_id)
WHERE lanes.workspace_id = %(workspace_id)s AND lanes.state <> 'purged'
ORDER BY lanes.lane_id

-- name: resumable
-- A lane that was left or is half filled is filled up rather than filled anew.
SELECT lane_id FROM lanes
WHERE workspace_id = %(workspace_id)s AND name = %(name)s AND provider = %(provider)s
    AND model = %(model)s AND dimensions = %(dimensions)s AND revision = %(revision)s
    AND state IN ('building', 'retired')
ORDER BY lane_id DESC LIMIT 1

-- name: add
INSERT INTO lanes
    (workspace_id, lane_id, name, provider, model, dimensions, revision, languages, state)
SELECT %(workspace_id)s, coalesce(max(lane_id), 0) + 1, %(name)s, %(provider)s, %(model)s,
    %(dimensions)s, %(revision)s, %(languages)s, %(state)s
FROM lanes WHERE workspace_id = %(workspace_id)s
RETURNING lane_id

-- name: under_way
SELECT lane_id FROM reembeddings JOIN lanes USING (workspace_id, lane_id)
WHERE workspace_id = %(workspace_id)s AND lanes.name = %(name)s
    AND reembeddings.state IN ('queued', 'running')

-- name: begin
INSERT INTO reembeddings (workspace_id, lane_id, state, rollback, texts_per_second)
VALUES (%(workspace_id)s, %(lane_id)s, 'queued', %(rollback)s, %(texts_per_second)s)
ON CONFLICT (workspace_id, lane_id) DO UPDATE SET
    state = 'queued', rollback = excluded.rollback, texts_per_second = excluded.texts_per_second,
    texts_embedded = 0, texts_reused = 0, tokens = 0, cost_usd = 0, failure = NULL,
    started_at = now(), updated_at = now(), finished_at = NULL

-- name: go_on
-- No row when it was cancelled, or ended.
UPDATE reembeddings SET
    state = 'running', updated_at = now(),
    texts_embedded = texts_embedded + %(texts_embedded)s,
    texts_reused = texts_reused + %(texts_reused)s,
    tokens = tokens + %(tokens)s,
    cost_usd = cost_usd + %(cost_usd)s
WHERE workspace_id = %(workspace_id)s AND lane_id = %(lane_id)s
    AND state IN ('queued', 'running')
RETURNING texts_per_second

-- name: end
UPDATE reembeddings SET
    state = %(state)s, failure = %(failure)s, updated_at = now(), finished_at = now()
WHERE workspace_id = %(workspace_id)s AND lane_id = %(lane_id)s
    AND state IN ('queued', 'running')
RETURNING lane_id

-- name: lane_in_work
SELECT lane_id, name, provider, model, dimensions, revision, languages, lanes.state
FROM lanes
WHERE workspace_id = %(workspace_id)s AND lane_id = %(lane_id)s AND lanes.state <> 'purged'

-- name: missing_chunks
-- OFFSET 0 makes it one look-up for each chunk. The planner knows nothing of a lane that is just
-- being filled, and might compare every chunk of it with every other.
SELECT known.chunk_no, known.text_hash, chunks.context, chunks.text, chunks.heading_path,
    chunks.document_id, documents.title
FROM embeddings AS known
JOIN chunks ON chunks.workspace_id = %(workspace_id)s AND chunks.chunk_no = known.chunk_no
JOIN documents ON documents.workspace_id = %(workspace_id)s
    AND documents.document_id = chunks.document_id
WHERE known.workspace_id = %(workspace_id)s AND known.lane_id = %(current)s
    AND known.chunk_no > %(after)s
    AND NOT EXISTS (
        SELECT FROM embeddings AS made
        WHERE made.workspace_id = %(workspace_id)s AND made.lane_id = %(lane_id)s
            AND made.chunk_no = known.chunk_no
        OFFSET 0
    )
ORDER BY known.chunk_no
LIMIT %(limit)s

-- name: copy_known
-- Equal texts have equal vectors; nothing is paid twice for them. The lane is added to, so that
-- only the index that begins with the hash can serve, see migration 0007.
INSERT INTO embeddings (workspace_id, lane_id, chunk_no, text_hash, embedding)
SELECT %(workspace_id)s, %(lane_id)s, known.chunk_no, known.text_hash, made.embedding
FROM embeddings AS known
CROSS JOIN LATERAL (
    SELECT embedding FROM embeddings
    WHERE workspace_id = %(workspace_id)s AND lane_id + 0 = %(lane_id)s
        AND text_hash = known.text_hash
    LIMIT 1
) AS made
WHERE known.workspace_id = %(workspace_id)s AND known.lane_id = %(current)s
    AND known.chunk_no = ANY (%(numbers)s::integer[])
ON CONFLICT DO NOTHING
RETURNING chunk_no

-- name: insert_vector
-- Nothing for a chunk that was deleted while its text was embedded.
INSERT INTO embeddings (workspace_id, lane_id, chunk_no, text_hash, embedding)
SELECT %(workspace_id)s, %(lane_id)s, chunk_no, text_hash, %(embedding)s
FROM embeddings
WHERE workspace_id = %(workspace_id)s AND lane_id = %(current)s AND chunk_no = %(chunk_no)s
ON CONFLICT DO NOTHING

-- name: missing_documents
SELECT known.document_id, known.first_chunk, known.text_hash, documents.title,
    documents.summary, documents.keywords
FROM document_embeddings AS known
JOIN documents ON documents.workspace_id = %(workspace_id)s
    AND documents.document_id = known.document_id
WHERE known.workspace_id = %(workspace_id)s AND known.lane_id = %(current)s
    AND known.first_chunk > %(after)s
    AND NOT EXISTS (
        SELECT FROM document_embeddings AS made
        WHERE made.workspace_id = %(workspace_id)s AND made.lane_id = %(lane_id)s
            AND made.first_chunk = known.first_chunk
        OFFSET 0
    )
ORDER BY known.first_chunk
LIMIT %(limit)s

-- name: copy_known_documents
INSERT INTO document_embeddings (
    workspace_id, lane_id, first_chunk, end_chunk, document_id, length, embedding, text_hash
)
SELECT %(workspace_id)s, %(lane_id)s, known.first_chunk, known.end_chunk, known.document_id,
    known.length, made.embedding, known.text_hash
FROM document_embeddings AS known
CROSS JOIN LATERAL (
    (
        SELECT embedding FROM document_embeddings
        WHERE workspace_id = %(workspace_id)s AND lane_id + 0 = %(lane_id)s
            AND text_hash = known.text_hash
        LIMIT 1
    )
    UNION ALL
    (
        SELECT embedding FROM embeddings
        WHERE workspace_id = %(workspace_id)s AND lane_id + 0 = %(lane_id)s
            AND text_hash = known.text_hash
        LIMIT 1
    )
    LIMIT 1
) AS made
WHERE known.workspace_id = %(workspace_id)s AND known.lane_id = %(current)s
    AND known.first_chunk = ANY (%(numbers)s::integer[])
ON CONFLICT DO NOTHING
RETURNING first_chunk

-- name: insert_document_vector
INSERT INTO document_embeddings (
    workspace_id, lane_id, first_chunk, end_chunk, document_id, length, embedding, text_hash
)
SELECT %(workspace_id)s, %(lane_id)s, first_chunk, end_chunk, document_id, length,
    %(embedding)s, text_hash
FROM document_embeddings
WHERE workspace_id = %(workspace_id)s AND lane_id = %(current)s AND first_chunk = %(chunk_no)s
ON CONFLICT DO NOTHING

-- name: is_missing
SELECT EXISTS (
    SELECT FROM embeddings AS known
    WHERE known.workspace_id = %(workspace_id)s AND known.lane_id = %(current)s
        AND NOT EXISTS (
            SELECT FROM embeddings AS made
            WHERE made.workspace_id = %(workspace_id)s AND made.lane_id = %(lane_id)s
                AND made.chunk_no = known.chunk_no
            OFFSET 0
        )
        AND EXISTS (
            SELECT FROM chunks
            WHERE chunks.workspace_id = %(workspace_id)s AND chunks.chunk_no = known.chunk_no
        )
) OR EXISTS (
    SELECT FROM document_embeddings AS known
    WHERE known.workspace_id = %(workspace_id)s AND known.lane_id = %(current)s
        AND NOT EXISTS (
            SELECT FROM document_embeddings AS made
            WHERE made.workspace_id = %(workspace_id)s AND made.lane_id = %(lane_id)s
                AND made.first_chunk = known.first_chunk
            OFFSET 0
        )
) AS missing

-- name: retire
UPDATE lanes SET state = 'retired', retired_at = now()
WHERE workspace_id = %(workspace_id)s AND lane_id = %(current)s

-- name: make_current
UPDATE lanes SET state = 'active', retired_at = NULL
WHERE workspace_id = %(workspace_id)s AND lane_id = %(lane_id)s

-- name: point_index
-- The lane's own HNSW index is used at once if it was built, before or on the way.
UPDATE index_states SET
    generation = generation + 1,
    hnsw_lane = CASE WHEN EXISTS (
        SELECT FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        WHERE relname = %(index)s AND relnamespace = 'footnote'::regnamespace AND indisvalid
    ) THEN %(lane_id)s END
WHERE workspace_id = %(workspace_id)s

-- name: purgeable
-- Lanes that were left long enough ago, or given up half filled; with no wait, all of them.
SELECT lanes.lane_id FROM lanes LEFT JOIN reembeddings USING (workspace_id, lane_id)
WHERE lanes.workspace_id = %(workspace_id)s
    AND coalesce(reembeddings.state, 'switched') NOT IN ('queued', 'running')
    AND (
        lanes.state = 'retired' AND lanes.retired_at <= now() - %(wait)s::interval
        OR lanes.state = 'building'
            AND coalesce(reembeddings.finished_at, '-infinity') <= now() - %(wait)s::interval
    )
ORDER BY lanes.lane_id

-- name: mark_purged
UPDATE lanes SET state = 'purged'
WHERE workspace_id = %(workspace_id)s AND lane_id = %(lane_id)s
    AND state IN ('building', 'retired')
    AND NOT EXISTS (
        SELECT FROM reembeddings
        WHERE reembeddings.workspace_id = %(workspace_id)s
            AND reembeddings.lane_id = %(lane_id)s AND state IN ('queued', 'running')
    )
RETURNING lane_id

-- name: purge_vectors
-- A piece at a time, so that nobody waits for a million rows.
DELETE FROM embeddings
WHERE workspace_id = %(workspace_id)s AND lane_id = %(lane_id)s AND chunk_no IN (
    SELECT chunk_no FROM embeddings
    WHERE workspace_id = %(workspace_id)s AND lane_id = %(lane_id)s
    ORDER BY chunk_no LIMIT %(limit)s
)

-- name: purge_document_vectors
DELETE FROM document_embeddings
WHERE workspace_id = %(workspace_id)s AND lane_id = %(lane_id)s

-- name: purge_staged_vectors
DELETE FROM staged_embeddings
WHERE workspace_id = %(workspace_id)s AND lane_id = %(lane_id)s

-- name: purged
-- Marked as gone, and something may be left where a purge was interrupted.
SELECT lane_id FROM lanes
WHERE workspace_id = %(workspace_id)s AND state = 'purged' AND (
    EXISTS (
        SELECT FROM embeddings
        WHERE embeddings.workspace_id = %(workspace_id)s AND embeddings.lane_id = lanes.lane_id
    ) OR EXISTS (
        SELECT FROM pg_class
        WHERE relname = %(prefix)s || lanes.lane_id
            AND relnamespace = 'footnote'::regnamespace
    )
)
