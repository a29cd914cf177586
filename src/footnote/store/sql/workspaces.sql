-- name: create
SELECT * FROM create_workspace(%(name)s, %(id)s, %(key)s)

-- name: create_encrypted
SELECT * FROM create_encrypted_workspace(
    %(name)s, %(id)s, %(sealed_key)s, %(wrapped)s, %(master_key)s
)

-- name: find
SELECT * FROM find_workspace(%(name)s)

-- name: list
SELECT workspace_id, name, created_at FROM footnote.workspace_directory ORDER BY name

-- name: lexical_key
SELECT lexical_key FROM workspaces WHERE workspace_id = %(workspace_id)s

-- name: active_lane
SELECT lane_id, name, provider, model, dimensions, revision, languages FROM lanes
WHERE workspace_id = %(workspace_id)s AND name = %(name)s AND state = 'active'

-- name: adopt_lane
-- Two processes may adopt at once; the unique index on active lanes lets one win.
INSERT INTO lanes
    (workspace_id, lane_id, name, provider, model, dimensions, revision, languages, state)
SELECT %(workspace_id)s, coalesce(max(lane_id), 0) + 1, %(name)s, %(provider)s, %(model)s,
    %(dimensions)s, %(revision)s, %(languages)s, 'active'
FROM lanes WHERE workspace_id = %(workspace_id)s
ON CONFLICT DO NOTHING

-- name: count_documents
SELECT status, count(*) AS documents,
    coalesce(sum(CASE WHEN isempty(chunks) THEN 0 ELSE upper(chunks) - lower(chunks) END), 0)
        AS chunks
FROM documents WHERE workspace_id = %(workspace_id)s
GROUP BY status ORDER BY status

-- name: count_segments
SELECT count(*) AS segments FROM segments WHERE workspace_id = %(workspace_id)s
