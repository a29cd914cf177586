-- The statements of `clusters.sql` that are of members, for chunks: by the same names and results.

-- name: run
SELECT lane_id, run, chunks AS members, last_number, clustered_at, failure FROM chunk_cluster_runs
WHERE workspace_id = %(workspace_id)s

-- name: embedded
-- Ranges of chunks rather than chunks, of which there are many more than documents.
SELECT string_agg(uuid_send(documents.document_id), ''::bytea ORDER BY first_chunk) AS ids,
    string_agg(int4send(first_chunk), ''::bytea ORDER BY first_chunk) AS numbers,
    string_agg(int4send(end_chunk), ''::bytea ORDER BY first_chunk) AS ends
FROM document_embeddings AS embedded
JOIN documents
    ON documents.workspace_id = %(workspace_id)s AND documents.document_id = embedded.document_id
WHERE embedded.workspace_id = %(workspace_id)s AND embedded.lane_id = %(lane_id)s

-- name: vectors
SELECT string_agg(halfvec_send(embedding), ''::bytea ORDER BY chunk_no) AS vectors
FROM embeddings
WHERE workspace_id = %(workspace_id)s AND lane_id = %(lane_id)s
    AND chunk_no = ANY (%(numbers)s::integer[])

-- name: members
SELECT chunk_no AS number, cluster_id FROM chunk_cluster_members
WHERE workspace_id = %(workspace_id)s AND granularity = %(granularity)s AND run = %(run)s
    AND cluster_id IS NOT NULL

-- name: looked_at
SELECT string_agg(int4send(chunk_no), ''::bytea ORDER BY chunk_no) AS numbers
FROM chunk_cluster_members
WHERE workspace_id = %(workspace_id)s AND granularity = 'fine' AND run = %(run)s

-- name: keep_members
-- Chunks that were deleted meanwhile are left out.
INSERT INTO chunk_cluster_members (
    workspace_id, chunk_no, granularity, document_id, run, cluster_id
)
SELECT %(workspace_id)s, wanted.chunk_no, %(granularity)s, wanted.document_id, %(run)s,
    wanted.cluster_id
FROM unnest(
    %(document_ids)s::uuid[], %(numbers)s::integer[], %(cluster_ids)s::uuid[]
) AS wanted (document_id, chunk_no, cluster_id)
JOIN chunks
    ON chunks.workspace_id = %(workspace_id)s AND chunks.chunk_no = wanted.chunk_no
    AND chunks.document_id = wanted.document_id
ON CONFLICT (workspace_id, chunk_no, granularity) DO UPDATE SET
    document_id = excluded.document_id, run = excluded.run, cluster_id = excluded.cluster_id

-- name: keep_run
INSERT INTO chunk_cluster_runs (workspace_id, lane_id, run, chunks, last_number)
VALUES (%(workspace_id)s, %(lane_id)s, %(run)s, %(members)s, %(last_number)s)
ON CONFLICT (workspace_id) DO UPDATE SET
    lane_id = excluded.lane_id, run = excluded.run, chunks = excluded.chunks,
    last_number = excluded.last_number, clustered_at = now(), failure = NULL

-- name: note_failure
INSERT INTO chunk_cluster_runs (workspace_id, lane_id, run, chunks, last_number, failure)
VALUES (%(workspace_id)s, %(lane_id)s, 0, 0, 0, %(failure)s)
ON CONFLICT (workspace_id) DO UPDATE SET failure = excluded.failure

-- name: name_cluster
-- Unless a chunk that the name was taken from is gone.
INSERT INTO cluster_names (workspace_id, cluster_id, name)
SELECT %(workspace_id)s, cluster_id, %(name)s FROM clusters
WHERE workspace_id = %(workspace_id)s AND cluster_id = %(cluster_id)s
    AND cardinality(%(numbers)s::integer[]) = (
        SELECT count(*) FROM chunks
        WHERE workspace_id = %(workspace_id)s AND chunk_no = ANY (%(numbers)s::integer[])
    )
ON CONFLICT (workspace_id, cluster_id) DO NOTHING

-- name: keep_sources
INSERT INTO cluster_name_sources (workspace_id, document_id, cluster_id)
SELECT DISTINCT %(workspace_id)s::uuid, document_id, %(cluster_id)s::uuid FROM chunks
WHERE workspace_id = %(workspace_id)s AND chunk_no = ANY (%(numbers)s::integer[])

-- name: counts
-- How many chunks each cluster has, as far as they may be seen; NULL counts the outliers.
SELECT clusters.cluster_id, count(*) AS members,
    count(DISTINCT documents.document_id) AS documents
FROM chunk_cluster_members AS own
JOIN documents
    ON documents.workspace_id = %(workspace_id)s AND documents.document_id = own.document_id
JOIN document_embeddings AS embedded
    ON embedded.workspace_id = %(workspace_id)s AND embedded.lane_id = %(lane_id)s
    AND embedded.document_id = own.document_id
    AND own.chunk_no >= embedded.first_chunk AND own.chunk_no < embedded.end_chunk
LEFT JOIN clusters
    ON clusters.workspace_id = %(workspace_id)s AND clusters.cluster_id = own.cluster_id
WHERE own.workspace_id = %(workspace_id)s AND own.granularity = %(granularity)s
GROUP BY clusters.cluster_id

-- name: sampled
-- The latest chunks of each cluster, as far as they may be seen.
SELECT * FROM (
    SELECT own.cluster_id, documents.document_id, documents.title, documents.keywords,
        documents.language, documents.collection, own.chunk_no AS number,
        row_number() OVER (PARTITION BY own.cluster_id ORDER BY own.chunk_no DESC) AS place
    FROM chunk_cluster_members AS own
    JOIN documents
        ON documents.workspace_id = %(workspace_id)s AND documents.document_id = own.document_id
    JOIN document_embeddings AS embedded
        ON embedded.workspace_id = %(workspace_id)s AND embedded.lane_id = %(lane_id)s
        AND embedded.document_id = own.document_id
        AND own.chunk_no >= embedded.first_chunk AND own.chunk_no < embedded.end_chunk
    WHERE own.workspace_id = %(workspace_id)s
        AND own.cluster_id = ANY (%(cluster_ids)s::uuid[])
) AS ranked
WHERE place <= %(most)s
ORDER BY number

-- name: parents
-- Which clusters of a coarser granularity the chunks of finer ones are in, and how many.
SELECT fine.cluster_id, coarse.cluster_id AS parent_id, count(*) AS members
FROM chunk_cluster_members AS fine
JOIN chunk_cluster_members AS coarse
    ON coarse.workspace_id = %(workspace_id)s AND coarse.chunk_no = fine.chunk_no
    AND coarse.granularity = %(coarser)s AND coarse.cluster_id IS NOT NULL
JOIN documents
    ON documents.workspace_id = %(workspace_id)s AND documents.document_id = fine.document_id
JOIN document_embeddings AS embedded
    ON embedded.workspace_id = %(workspace_id)s AND embedded.lane_id = %(lane_id)s
    AND embedded.document_id = fine.document_id
    AND fine.chunk_no >= embedded.first_chunk AND fine.chunk_no < embedded.end_chunk
WHERE fine.workspace_id = %(workspace_id)s AND fine.granularity = %(granularity)s
    AND fine.cluster_id IS NOT NULL
GROUP BY fine.cluster_id, coarse.cluster_id

-- name: progress
-- Which of the chunks that may be seen were looked at, and since when the oldest document is there
-- of which none was.
SELECT count(own.chunk_no) AS done,
    min(documents.created_at) FILTER (WHERE own.chunk_no IS NULL) AS oldest_waiting
FROM documents
JOIN document_embeddings AS embedded
    ON embedded.workspace_id = %(workspace_id)s AND embedded.lane_id = %(lane_id)s
    AND embedded.document_id = documents.document_id
LEFT JOIN chunk_cluster_members AS own
    ON own.workspace_id = %(workspace_id)s AND own.document_id = documents.document_id
    AND own.granularity = 'fine'
    AND own.chunk_no >= embedded.first_chunk AND own.chunk_no < embedded.end_chunk
WHERE documents.workspace_id = %(workspace_id)s
