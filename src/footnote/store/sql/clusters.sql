-- Of members, those of documents; those of chunks have the same names in `chunk_clusters.sql`.

-- name: run
SELECT lane_id, run, documents AS members, last_number, clustered_at, failure FROM cluster_runs
WHERE workspace_id = %(workspace_id)s

-- name: embedded
-- Ids and first chunks of all documents that have a vector; the numbers big-endian, one after the
-- other: a row for each document would cost the reader ten times as much. Each number stands for
-- itself.
SELECT string_agg(uuid_send(documents.document_id), ''::bytea ORDER BY first_chunk) AS ids,
    string_agg(int4send(first_chunk), ''::bytea ORDER BY first_chunk) AS numbers,
    string_agg(int4send(first_chunk + 1), ''::bytea ORDER BY first_chunk) AS ends
FROM document_embeddings AS embedded
JOIN documents
    ON documents.workspace_id = %(workspace_id)s AND documents.document_id = embedded.document_id
WHERE embedded.workspace_id = %(workspace_id)s AND embedded.lane_id = %(lane_id)s

-- name: vectors
SELECT string_agg(halfvec_send(embedding), ''::bytea ORDER BY first_chunk) AS vectors
FROM document_embeddings
WHERE workspace_id = %(workspace_id)s AND lane_id = %(lane_id)s
    AND first_chunk = ANY (%(numbers)s::integer[])

-- name: members
SELECT first_chunk AS number, cluster_id FROM cluster_members
WHERE workspace_id = %(workspace_id)s AND granularity = %(granularity)s AND run = %(run)s
    AND cluster_id IS NOT NULL

-- name: looked_at
-- First chunks of the documents that this run looked at; those of outdated versions are none.
SELECT string_agg(int4send(first_chunk), ''::bytea ORDER BY first_chunk) AS numbers
FROM cluster_members
WHERE workspace_id = %(workspace_id)s AND granularity = 'fine' AND run = %(run)s

-- name: keep_clusters
INSERT INTO clusters (workspace_id, cluster_id, granularity, members)
SELECT %(workspace_id)s, wanted.cluster_id, wanted.granularity, %(of)s
FROM unnest(%(cluster_ids)s::uuid[], %(granularities)s::text[]) AS wanted (cluster_id, granularity)
ON CONFLICT (workspace_id, cluster_id) DO NOTHING

-- name: drop_clusters
DELETE FROM clusters
WHERE workspace_id = %(workspace_id)s AND members = %(of)s AND NOT cluster_id = ANY (%(kept)s::uuid[])

-- name: keep_members
-- Documents that were deleted meanwhile are left out.
INSERT INTO cluster_members (
    workspace_id, document_id, granularity, first_chunk, run, cluster_id
)
SELECT %(workspace_id)s, wanted.document_id, %(granularity)s, wanted.first_chunk, %(run)s,
    wanted.cluster_id
FROM unnest(
    %(document_ids)s::uuid[], %(numbers)s::integer[], %(cluster_ids)s::uuid[]
) AS wanted (document_id, first_chunk, cluster_id)
JOIN document_embeddings AS embedded
    ON embedded.workspace_id = %(workspace_id)s AND embedded.lane_id = %(lane_id)s
    AND embedded.first_chunk = wanted.first_chunk
    AND embedded.document_id = wanted.document_id
ON CONFLICT (workspace_id, document_id, granularity) DO UPDATE SET
    first_chunk = excluded.first_chunk, run = excluded.run, cluster_id = excluded.cluster_id

-- name: keep_run
INSERT INTO cluster_runs (workspace_id, lane_id, run, documents, last_number)
VALUES (%(workspace_id)s, %(lane_id)s, %(run)s, %(members)s, %(last_number)s)
ON CONFLICT (workspace_id) DO UPDATE SET
    lane_id = excluded.lane_id, run = excluded.run, documents = excluded.documents,
    last_number = excluded.last_number, clustered_at = now(), failure = NULL

-- name: note_failure
INSERT INTO cluster_runs (workspace_id, lane_id, run, documents, last_number, failure)
VALUES (%(workspace_id)s, %(lane_id)s, 0, 0, 0, %(failure)s)
ON CONFLICT (workspace_id) DO UPDATE SET failure = excluded.failure

-- name: nameless
SELECT cluster_id, granularity FROM clusters
WHERE workspace_id = %(workspace_id)s AND members = %(of)s
    AND NOT EXISTS (
        SELECT FROM cluster_names
        WHERE cluster_names.workspace_id = %(workspace_id)s
            AND cluster_names.cluster_id = clusters.cluster_id
    )
ORDER BY granularity, cluster_id

-- name: name_cluster
-- Unless a document that the name was taken from is gone, or of another version.
INSERT INTO cluster_names (workspace_id, cluster_id, name)
SELECT %(workspace_id)s, cluster_id, %(name)s FROM clusters
WHERE workspace_id = %(workspace_id)s AND cluster_id = %(cluster_id)s
    AND cardinality(%(numbers)s::integer[]) = (
        SELECT count(*) FROM document_embeddings
        WHERE workspace_id = %(workspace_id)s AND lane_id = %(lane_id)s
            AND first_chunk = ANY (%(numbers)s::integer[])
    )
ON CONFLICT (workspace_id, cluster_id) DO NOTHING

-- name: keep_sources
INSERT INTO cluster_name_sources (workspace_id, document_id, cluster_id)
SELECT %(workspace_id)s, document_id, %(cluster_id)s FROM document_embeddings
WHERE workspace_id = %(workspace_id)s AND lane_id = %(lane_id)s
    AND first_chunk = ANY (%(numbers)s::integer[])

-- name: forget_names
-- What was taken from documents that go or change goes with them.
DELETE FROM cluster_names
WHERE workspace_id = %(workspace_id)s AND cluster_id IN (
    SELECT cluster_id FROM cluster_name_sources
    WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(document_ids)s::uuid[])
)

-- name: drop_names
-- For another model names them anew, or another majority of documents.
DELETE FROM cluster_names
WHERE workspace_id = %(workspace_id)s AND cluster_id = ANY (%(cluster_ids)s::uuid[])

-- name: counts
-- How many documents each cluster has, as far as they may be seen; NULL counts the outliers.
SELECT clusters.cluster_id, count(*) AS members, count(*) AS documents
FROM documents
JOIN document_embeddings AS embedded
    ON embedded.workspace_id = %(workspace_id)s AND embedded.lane_id = %(lane_id)s
    AND embedded.document_id = documents.document_id
JOIN cluster_members
    ON cluster_members.workspace_id = %(workspace_id)s
    AND cluster_members.document_id = documents.document_id
    AND cluster_members.granularity = %(granularity)s
    AND cluster_members.first_chunk = embedded.first_chunk
LEFT JOIN clusters
    ON clusters.workspace_id = %(workspace_id)s
    AND clusters.cluster_id = cluster_members.cluster_id
WHERE documents.workspace_id = %(workspace_id)s
GROUP BY clusters.cluster_id

-- name: sampled
-- The latest documents of each cluster, as far as they may be seen.
SELECT * FROM (
    SELECT cluster_members.cluster_id, documents.document_id, documents.title,
        documents.keywords, documents.language, documents.collection,
        embedded.first_chunk AS number,
        row_number() OVER (
            PARTITION BY cluster_members.cluster_id ORDER BY embedded.first_chunk DESC
        ) AS place
    FROM documents
    JOIN document_embeddings AS embedded
        ON embedded.workspace_id = %(workspace_id)s AND embedded.lane_id = %(lane_id)s
        AND embedded.document_id = documents.document_id
    JOIN cluster_members
        ON cluster_members.workspace_id = %(workspace_id)s
        AND cluster_members.document_id = documents.document_id
        AND cluster_members.first_chunk = embedded.first_chunk
    WHERE documents.workspace_id = %(workspace_id)s
        AND cluster_members.cluster_id = ANY (%(cluster_ids)s::uuid[])
) AS ranked
WHERE place <= %(most)s
ORDER BY number

-- name: places
-- The clusters of documents at one granularity, as far as they may be seen.
SELECT cluster_members.document_id, cluster_members.cluster_id
FROM cluster_members
JOIN document_embeddings AS embedded
    ON embedded.workspace_id = %(workspace_id)s AND embedded.lane_id = %(lane_id)s
    AND embedded.document_id = cluster_members.document_id
    AND embedded.first_chunk = cluster_members.first_chunk
WHERE cluster_members.workspace_id = %(workspace_id)s
    AND cluster_members.granularity = %(granularity)s
    AND cluster_members.cluster_id IS NOT NULL

-- name: parents
-- Which clusters of a coarser granularity the documents of finer ones are in, and how many.
SELECT fine.cluster_id, coarse.cluster_id AS parent_id, count(*) AS members
FROM cluster_members AS fine
JOIN cluster_members AS coarse
    ON coarse.workspace_id = %(workspace_id)s AND coarse.document_id = fine.document_id
    AND coarse.granularity = %(coarser)s AND coarse.cluster_id IS NOT NULL
    AND coarse.first_chunk = fine.first_chunk
JOIN document_embeddings AS embedded
    ON embedded.workspace_id = %(workspace_id)s AND embedded.lane_id = %(lane_id)s
    AND embedded.document_id = fine.document_id
    AND embedded.first_chunk = fine.first_chunk
WHERE fine.workspace_id = %(workspace_id)s AND fine.granularity = %(granularity)s
    AND fine.cluster_id IS NOT NULL
GROUP BY fine.cluster_id, coarse.cluster_id

-- name: names
-- A name stays where a document it was taken from leaves the cluster, and tells of it all the same.
SELECT cluster_id, name FROM cluster_names
WHERE workspace_id = %(workspace_id)s AND cluster_id = ANY (%(cluster_ids)s::uuid[])
    AND NOT EXISTS (
        SELECT FROM cluster_name_sources AS source
        WHERE source.workspace_id = %(workspace_id)s
            AND source.cluster_id = cluster_names.cluster_id
            AND NOT EXISTS (
                SELECT FROM documents
                WHERE documents.workspace_id = %(workspace_id)s
                    AND documents.document_id = source.document_id
            )
    )

-- name: granularity_of
SELECT granularity, members FROM clusters
WHERE workspace_id = %(workspace_id)s AND cluster_id = %(cluster_id)s

-- name: progress
SELECT count(cluster_members.document_id) AS done,
    min(documents.created_at) FILTER (WHERE cluster_members.document_id IS NULL) AS oldest_waiting
FROM documents
JOIN document_embeddings AS embedded
    ON embedded.workspace_id = %(workspace_id)s AND embedded.lane_id = %(lane_id)s
    AND embedded.document_id = documents.document_id
LEFT JOIN cluster_members
    ON cluster_members.workspace_id = %(workspace_id)s
    AND cluster_members.document_id = documents.document_id
    AND cluster_members.granularity = 'fine'
    AND cluster_members.first_chunk = embedded.first_chunk
WHERE documents.workspace_id = %(workspace_id)s
