-- name: one_at_a_time
-- Whoever decides to remove bytes and whoever is about to use them take turns.
SELECT pg_advisory_xact_lock(
    hashtextextended(%(workspace_id)s::text || encode(%(content_sha256)s, 'hex'), 2)
)

-- name: take_turns
-- The same for many bytes at once, each lock after the one with the lower key.
SELECT pg_advisory_xact_lock(hashtextextended(key, 2)) FROM (
    SELECT %(workspace_id)s::text || encode(content_sha256, 'hex') AS key
    FROM unnest(%(hashes)s::bytea[]) AS given (content_sha256)
    ORDER BY 1
) AS turns

-- name: being_removed
SELECT EXISTS (
    SELECT FROM blob_claims
    WHERE workspace_id = %(workspace_id)s AND blob_key = %(blob_key)s
        AND claim_id = %(tombstone)s
) AS being_removed

-- name: bury
-- One remover alone has a tombstone; that of one that died is taken over after the grace.
INSERT INTO blob_claims (workspace_id, blob_key, claim_id)
SELECT %(workspace_id)s, unwanted.blob_key, %(tombstone)s
FROM unnest(%(blob_keys)s::text[]) AS unwanted (blob_key)
ON CONFLICT (workspace_id, blob_key, claim_id) DO UPDATE SET claimed_at = now()
WHERE blob_claims.claimed_at < now() - make_interval(secs => %(grace_seconds)s)
RETURNING blob_key

-- name: removed
DELETE FROM blob_claims
WHERE workspace_id = %(workspace_id)s AND blob_key = ANY (%(blob_keys)s::text[])
    AND claim_id = %(tombstone)s

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

-- name: unwanted
-- In one statement, so that a claim cannot become a version between two looks.
SELECT given.blob_key
FROM unnest(%(blob_keys)s::text[], %(hashes)s::bytea[]) AS given (blob_key, content_sha256)
WHERE NOT EXISTS (
    SELECT FROM document_versions AS kept
    WHERE kept.workspace_id = %(workspace_id)s AND kept.content_sha256 = given.content_sha256
        AND kept.blob_key = given.blob_key
) AND NOT EXISTS (
    SELECT FROM blob_claims AS claimed
    WHERE claimed.workspace_id = %(workspace_id)s AND claimed.blob_key = given.blob_key
        AND claimed.claim_id <> %(tombstone)s
        AND claimed.claimed_at >= now() - make_interval(secs => %(grace_seconds)s)
)

-- name: settle
DELETE FROM blob_claims
WHERE workspace_id = %(workspace_id)s AND blob_key = ANY (%(blob_keys)s::text[])
    AND claim_id <> %(tombstone)s
    AND claimed_at < now() - make_interval(secs => %(grace_seconds)s)

-- name: any_left
SELECT EXISTS (SELECT FROM blob_claims WHERE workspace_id = %(workspace_id)s) AS left_over

-- name: is_gone
SELECT NOT EXISTS (
    SELECT FROM workspaces WHERE workspace_id = %(workspace_id)s
) AS is_gone
