-- name: size
-- Live chunks are counted by document, not by row, so that the question stays cheap.
SELECT hnsw_lane, hnsw_lane IS NOT DISTINCT FROM %(lane_id)s::integer AS promoted, (
    SELECT coalesce(sum(upper(chunks) - lower(chunks)), 0) FROM documents
    WHERE workspace_id = %(workspace_id)s AND NOT isempty(chunks)
) AS chunks
FROM index_states WHERE workspace_id = %(workspace_id)s

-- name: owner_path
SET search_path = footnote, public, extensions

-- name: index_state
SELECT indisvalid AS valid FROM pg_index
JOIN pg_class ON pg_class.oid = indexrelid
WHERE relname = %(name)s AND relnamespace = 'footnote'::regnamespace

-- name: drop
DROP INDEX CONCURRENTLY IF EXISTS {name}

-- name: build
CREATE INDEX CONCURRENTLY IF NOT EXISTS {name}
ON embeddings USING hnsw ((embedding::{type}) halfvec_ip_ops)
WITH (m = {m}, ef_construction = {ef_construction})
WHERE workspace_id = {workspace_id} AND lane_id = {lane_id}

-- name: promoted
-- Unless another lane has become the one that is searched.
UPDATE index_states SET hnsw_lane = %(lane_id)s, generation = generation + 1
WHERE workspace_id = %(workspace_id)s AND EXISTS (
    SELECT FROM lanes
    WHERE lanes.workspace_id = %(workspace_id)s AND lanes.lane_id = %(lane_id)s
        AND lanes.state = 'active'
)

-- name: demoted
UPDATE index_states SET hnsw_lane = NULL, generation = generation + 1
WHERE workspace_id = %(workspace_id)s AND hnsw_lane = %(lane_id)s
