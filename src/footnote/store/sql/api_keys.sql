-- name: find
-- Outside every workspace: the key says which one it is of.
SELECT * FROM find_credential('key', %(credential_id)s)

-- name: get
-- Whether it is still valid is asked of the database's clock, which all servers share.
SELECT *, credential_id AS key_id,
    revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) AS valid,
    last_used_at IS NULL OR last_used_at < now() - interval '1 minute' AS touch
FROM api_keys
WHERE workspace_id = %(workspace_id)s AND credential_id = %(credential_id)s

-- name: touch
-- At most once a minute, so that a busy key does not write with each request.
UPDATE api_keys SET last_used_at = now()
WHERE workspace_id = %(workspace_id)s AND credential_id = %(credential_id)s
    AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')

-- name: add
INSERT INTO api_keys (
    workspace_id, credential_id, name, principal, groups, rights, collections, secret_hash,
    created_by, expires_at
) VALUES (
    %(workspace_id)s, %(credential_id)s, %(name)s, %(owner)s, %(groups)s, %(rights)s,
    %(collections)s, %(secret_hash)s, %(principal)s, now() + %(lifetime)s
)
RETURNING *, credential_id AS key_id

-- name: list
SELECT *, credential_id AS key_id FROM api_keys WHERE workspace_id = %(workspace_id)s
ORDER BY created_at, credential_id

-- name: lock
SELECT *, credential_id AS key_id, expires_at - created_at AS lifetime FROM api_keys
WHERE workspace_id = %(workspace_id)s AND credential_id = %(credential_id)s
    AND revoked_at IS NULL AND replaced_by IS NULL
    AND (expires_at IS NULL OR expires_at > now())
FOR UPDATE

-- name: replace
-- The old key never lives longer than it would have.
UPDATE api_keys SET
    replaced_by = %(replacement)s, expires_at = LEAST(expires_at, now() + %(overlap)s)
WHERE workspace_id = %(workspace_id)s AND credential_id = %(credential_id)s

-- name: revoke_of_principal
UPDATE api_keys SET revoked_at = COALESCE(revoked_at, now())
WHERE workspace_id = %(workspace_id)s AND lower(principal) = lower(%(who)s)

-- name: revoke
UPDATE api_keys SET revoked_at = COALESCE(revoked_at, now())
WHERE workspace_id = %(workspace_id)s AND credential_id = %(credential_id)s
