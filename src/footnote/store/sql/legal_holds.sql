-- name: columns
hold_id, document_id, collection, custodian AS principal_id, reason, set_by, set_at, lifted_by,
lifted_at, lift_reason

-- name: list
SELECT
-- include: columns
FROM legal_holds
WHERE workspace_id = %(workspace_id)s AND (lifted_at IS NULL OR %(lifted)s)
ORDER BY set_at, hold_id

-- name: set
INSERT INTO legal_holds
    (workspace_id, hold_id, document_id, collection, custodian, reason, set_by)
VALUES (
    %(workspace_id)s, %(hold_id)s, %(document_id)s, %(collection)s, %(custodian)s, %(reason)s,
    %(principal)s
)
RETURNING
-- include: columns

-- name: lift
UPDATE legal_holds
SET lifted_by = %(principal)s, lifted_at = now(), lift_reason = %(reason)s
WHERE workspace_id = %(workspace_id)s AND hold_id = %(hold_id)s AND lifted_at IS NULL
RETURNING
-- include: columns

-- name: document_is_held
SELECT under_legal_hold(%(document_id)s) AS held

-- name: wait_for_holds
-- As the triggers that refuse deletions do.
SELECT pg_advisory_xact_lock_shared(
    hashtextextended('footnote hold ' || %(workspace_id)s::uuid::text, 0)
)

-- name: conversations_are_held
SELECT EXISTS (
    SELECT FROM legal_holds
    WHERE workspace_id = %(workspace_id)s AND lifted_at IS NULL AND custodian = %(principal)s
) AS held
