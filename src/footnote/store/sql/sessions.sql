-- name: find
-- Outside every workspace: the cookie says which one it is of.
SELECT * FROM find_credential('session', %(credential_id)s)

-- name: get
SELECT *,
    expires_at > now() AND last_used_at > now() - %(idle)s::interval AS valid,
    last_used_at < now() - interval '1 minute' AS touch
FROM sessions
WHERE workspace_id = %(workspace_id)s AND credential_id = %(credential_id)s

-- name: touch
UPDATE sessions SET last_used_at = now()
WHERE workspace_id = %(workspace_id)s AND credential_id = %(credential_id)s

-- name: add
INSERT INTO sessions (
    workspace_id, credential_id, secret_hash, principal, groups, role, issuer, subject,
    provider_session, expires_at
) VALUES (
    %(workspace_id)s, %(credential_id)s, %(secret_hash)s, %(who)s, %(groups)s, %(role)s,
    %(issuer)s, %(subject)s, %(provider_session)s, now() + %(lifetime)s
)

-- name: forget_old
DELETE FROM sessions WHERE workspace_id = %(workspace_id)s AND expires_at < now()
RETURNING credential_id

-- name: end
DELETE FROM sessions
WHERE workspace_id = %(workspace_id)s AND credential_id = %(credential_id)s
RETURNING credential_id

-- name: end_of_principal
DELETE FROM sessions
WHERE workspace_id = %(workspace_id)s AND lower(principal) = lower(%(who)s)
RETURNING credential_id

-- name: logins
-- Outside every workspace: those of one person, or the one that the provider names.
SELECT * FROM find_logins(%(issuer)s, %(subject)s, %(provider_session)s)
