-- name: packed
-- Numbers as int32 and vectors in the form of halfvec's wire protocol, both big-endian and one
-- after the other: a row for each vector would cost the reader ten times as much. OFFSET 0 for
-- the reason that nearest_exactly has.
SELECT string_agg(int4send(chunk_no), ''::bytea ORDER BY chunk_no) AS numbers,
    string_agg(halfvec_send(embedding), ''::bytea ORDER BY chunk_no) AS vectors
FROM unnest(%(wanted)s::int4multirange) AS allowed
CROSS JOIN LATERAL (
    SELECT chunk_no, embedding FROM embeddings
    WHERE workspace_id = %(workspace_id)s AND lane_id = %(lane_id)s
        AND chunk_no >= lower(allowed) AND chunk_no < upper(allowed)
    OFFSET 0
) AS wanted
