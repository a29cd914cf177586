-- name: one_at_a_time
-- Whoever decides to remove bytes and whoever is about to use them take turns.
SELECT pg_advisory_xact_lock(
    hashtextextended(%(workspace_id)s::text || encode(%(content_sha256)s, 'hex'), 2)
)

-- name: being_removed
SELECT EXISTS (
    SELECT FROM blob_claims
    WHERE workspace_id = %(workspace_id)s AND blob_key = %(blob_key)s
        AND claim_id = %(tombstone)s
) AS being_removed

-- name: bury
-- One remover alone has a tombstone; that of one that died is taken over after the grace.
INSERT INTO blob_claims (workspace_id, blob_key, claim_id)
VALUES (%(workspace_id)s, %(blob_key)s, %(tombstone)s)
ON CONFLICT (workspace_id, blob_key, claim_id) DO UPDATE SET claimed_at = now()
WHERE blob_claims.claimed_at < now() - make_interval(secs => %(grace_seconds)s)

-- name: removed
DELETE FROM blob_claims
WHERE workspace_id = %(workspace_id)s AND blob_key = %(blob_key)s AND claim_id = %(tombstone)s

-- name: give_up_unnamed
-- The claim of bytes that were not needed, for the document has its own under another key.
INSERT INTO blob_claims (workspace_id, blob_key, claim_id, claimed_at)
SELECT %(workspace_id)s, %(blob_key)s, gen_random_uuid(), '-infinity'
WHERE NOT EXISTS (
    SELECT FROM document_versions
    WHERE workspace_id = %(workspace_id)s AND content_sha256 = %(content_sha256)s
        AND blob_key = %(blob_key)s
)

-- name: claim
INSERT INTO blob_claims (workspace_id, blob_key, claim_id)
VALUES (%(workspace_id)s, %(blob_key)s, %(claim_id)s)

-- name: redeem
DELETE FROM blob_claims
WHERE workspace_id = %(workspace_id)s AND blob_key = %(blob_key)s AND claim_id = %(claim_id)s

-- name: give_up
-- Nobody is about to use these, so they need not wait.
INSERT INTO blob_claims (workspace_id, blob_key, claim_id, claimed_at)
SELECT %(workspace_id)s, given_up.blob_key, gen_random_uuid(), '-infinity'
FROM unnest(%(blob_keys)s::text[]) AS given_up (blob_key)

-- name: due
SELECT DISTINCT blob_key FROM blob_claims
WHERE workspace_id = %(workspace_id)s
    AND claimed_at < now() - make_interval(secs => %(grace_seconds)s)
LIMIT %(limit)s

-- name: wanted
-- In one statement, so that a claim cannot become a version between two looks.
SELECT EXISTS (
    SELECT FROM document_versions
    WHERE workspace_id = %(workspace_id)s AND content_sha256 = %(content_sha256)s
        AND blob_key = %(blob_key)s
) OR EXISTS (
    SELECT FROM blob_claims
    WHERE workspace_id = %(workspace_id)s AND blob_key = %(blob_key)s
        AND claim_id <> %(tombstone)s
        AND claimed_at >= now() - make_interval(secs => %(grace_seconds)s)
) AS wanted

-- name: settle
DELETE FROM blob_claims
WHERE workspace_id = %(workspace_id)s AND blob_key = %(blob_key)s
    AND claim_id <> %(tombstone)s
    AND claimed_at < now() - make_interval(secs => %(grace_seconds)s)

-- name: any_left
SELECT EXISTS (SELECT FROM blob_claims WHERE workspace_id = %(workspace_id)s) AS left_over

-- name: is_gone
SELECT NOT EXISTS (
    SELECT FROM workspaces WHERE workspace_id = %(workspace_id)s
) AS is_gone
