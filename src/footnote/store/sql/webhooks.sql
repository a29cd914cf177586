-- name: add
INSERT INTO webhook_endpoints (workspace_id, endpoint_id, url, kinds, secret, access)
VALUES (%(workspace_id)s, %(endpoint_id)s, %(url)s, %(kinds)s, %(secret)s, current_access())
RETURNING *

-- name: list
SELECT * FROM webhook_endpoints WHERE workspace_id = %(workspace_id)s
ORDER BY created_at, endpoint_id

-- name: get
SELECT * FROM webhook_endpoints
WHERE workspace_id = %(workspace_id)s AND endpoint_id = %(endpoint_id)s

-- name: remove
DELETE FROM webhook_endpoints
WHERE workspace_id = %(workspace_id)s AND endpoint_id = %(endpoint_id)s

-- name: note_delivery
UPDATE webhook_endpoints
SET failures = 0, last_error = NULL, last_delivery_at = now(), disabled_at = NULL
WHERE workspace_id = %(workspace_id)s AND endpoint_id = %(endpoint_id)s

-- name: note_attempt
UPDATE webhook_endpoints SET last_error = %(error)s
WHERE workspace_id = %(workspace_id)s AND endpoint_id = %(endpoint_id)s

-- name: note_failure
UPDATE webhook_endpoints SET
    failures = failures + 1, last_error = %(error)s,
    disabled_at = CASE
        WHEN failures + 1 >= %(limit)s THEN COALESCE(disabled_at, now())
        ELSE disabled_at
    END
WHERE workspace_id = %(workspace_id)s AND endpoint_id = %(endpoint_id)s
