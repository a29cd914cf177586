-- name: one_at_a_time
-- Whoever removes a blob and whoever is about to write it again take turns.
SELECT pg_advisory_xact_lock(hashtextextended(%(workspace_id)s::text || %(blob_key)s, 2))

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
        AND claimed_at >= now() - make_interval(secs => %(grace_seconds)s)
) AS wanted

-- name: settle
DELETE FROM blob_claims
WHERE workspace_id = %(workspace_id)s AND blob_key = %(blob_key)s
    AND claimed_at < now() - make_interval(secs => %(grace_seconds)s)

-- name: any_left
SELECT EXISTS (SELECT FROM blob_claims WHERE workspace_id = %(workspace_id)s) AS left_over
