-- name: one_use_at_a_time
SELECT pg_advisory_xact_lock(
    hashtextextended(%(workspace_id)s::text || ' ' || %(principal)s || ' ' || %(key)s, 1)
)

-- name: known
SELECT fingerprint, document_id, duplicate, new_version FROM idempotency_keys
WHERE workspace_id = %(workspace_id)s AND principal = %(principal)s AND key = %(key)s
    AND expires_at > now()

-- name: keep
-- What is there already has expired.
INSERT INTO idempotency_keys (
    workspace_id, principal, key, fingerprint, document_id, duplicate, new_version, expires_at
) VALUES (
    %(workspace_id)s, %(principal)s, %(key)s, %(fingerprint)s, %(document_id)s, %(duplicate)s,
    %(new_version)s, now() + make_interval(secs => %(lifetime_seconds)s)
)
ON CONFLICT (workspace_id, principal, key) DO UPDATE SET
    fingerprint = EXCLUDED.fingerprint, document_id = EXCLUDED.document_id,
    duplicate = EXCLUDED.duplicate, new_version = EXCLUDED.new_version,
    expires_at = EXCLUDED.expires_at

-- name: forget_expired
DELETE FROM idempotency_keys
WHERE workspace_id = %(workspace_id)s AND expires_at <= now()

-- name: any_left
SELECT EXISTS (SELECT FROM idempotency_keys WHERE workspace_id = %(workspace_id)s) AS left_over
