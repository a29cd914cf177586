-- name: find
-- Outside every workspace: the link says which one it is of.
SELECT * FROM find_credential('link', %(credential_id)s)

-- name: get
-- Whether it is still valid is asked of the database's clock, which all servers share.
SELECT *, credential_id AS link_id,
    revoked_at IS NULL AND expires_at > now() AS valid,
    opened_at IS NULL OR opened_at < now() - interval '1 minute' AS touch
FROM share_links
WHERE workspace_id = %(workspace_id)s AND credential_id = %(credential_id)s

-- name: touch
-- At most once a minute, so that a link that many open does not write with each request.
UPDATE share_links SET opened_at = now()
WHERE workspace_id = %(workspace_id)s AND credential_id = %(credential_id)s
    AND (opened_at IS NULL OR opened_at < now() - interval '1 minute')

-- name: add
INSERT INTO share_links (
    workspace_id, credential_id, collection, conversation_id, owner, owner_groups, owner_role,
    owner_collections, secret_hash, expires_at
) VALUES (
    %(workspace_id)s, %(credential_id)s, %(collection)s, %(conversation_id)s, %(principal)s,
    %(owner_groups)s, %(owner_role)s, %(owner_collections)s, %(secret_hash)s, now() + %(lifetime)s
)
RETURNING *, credential_id AS link_id

-- name: list
SELECT *, credential_id AS link_id FROM share_links WHERE workspace_id = %(workspace_id)s
ORDER BY created_at, credential_id

-- name: revoke
UPDATE share_links SET revoked_at = COALESCE(revoked_at, now())
WHERE workspace_id = %(workspace_id)s AND credential_id = %(credential_id)s
