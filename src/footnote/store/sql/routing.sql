-- name: documents
-- Every document that can be routed to, and the vectors of those that are new since. Numbers as
-- int32 and vectors in the form of halfvec's wire protocol, all big-endian, one after the other:
-- a row for each document would cost the reader ten times as much.
SELECT
    (
        SELECT generation FROM index_states WHERE workspace_id = %(workspace_id)s
    ) AS generation,
    string_agg(int4send(first_chunk), ''::bytea ORDER BY first_chunk) AS firsts,
    string_agg(int4send(end_chunk), ''::bytea ORDER BY first_chunk) AS ends,
    string_agg(int4send(length), ''::bytea ORDER BY first_chunk) AS lengths,
    string_agg(halfvec_send(embedding), ''::bytea ORDER BY first_chunk)
        FILTER (WHERE first_chunk >= %(since)s::integer) AS vectors
FROM document_embeddings
WHERE workspace_id = %(workspace_id)s AND lane_id = %(lane_id)s

-- name: insert
INSERT INTO document_embeddings (
    workspace_id, lane_id, first_chunk, end_chunk, document_id, length, embedding, text_hash
)
SELECT %(workspace_id)s, %(lane_id)s, %(first)s, %(end)s, %(document_id)s, %(length)s,
    found.embedding, %(hash)s
FROM (
    (
        SELECT known.embedding FROM embeddings AS known
        WHERE known.workspace_id = %(workspace_id)s AND known.lane_id = %(lane_id)s
            AND known.text_hash = %(hash)s
        LIMIT 1
    )
    UNION ALL
    (
        SELECT staged.embedding FROM staged_embeddings AS staged
        WHERE staged.workspace_id = %(workspace_id)s AND staged.lane_id = %(lane_id)s
            AND staged.text_hash = %(hash)s
    )
    UNION ALL
    (
        -- Of a document that is about the same: it staged the vector for both, and was first.
        SELECT same.embedding FROM document_embeddings AS same
        WHERE same.workspace_id = %(workspace_id)s AND same.lane_id = %(lane_id)s
            AND same.text_hash = %(hash)s
        LIMIT 1
    )
    LIMIT 1
) AS found

-- name: delete
DELETE FROM document_embeddings
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
