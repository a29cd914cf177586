-- name: documents_of_collection
SELECT document_id FROM documents
WHERE workspace_id = %(workspace_id)s AND collection = %(collection)s
    AND created_at <= %(before)s
ORDER BY document_id

-- name: documents_of_principal
SELECT document_id FROM documents
WHERE workspace_id = %(workspace_id)s AND created_by = %(principal_id)s
    AND created_at <= %(before)s
ORDER BY document_id

-- name: there
SELECT document_id FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(document_ids)s)
ORDER BY document_id

-- name: is_collection
SELECT EXISTS (
    SELECT FROM collections WHERE workspace_id = %(workspace_id)s AND name = %(collection)s
) AS found

-- name: held_principal
SELECT custodian_is_held(%(principal_id)s) AS held

-- name: keep
INSERT INTO erasures (
    workspace_id, certificate_id, target, name, document_ids, erased_at, erased_by
) VALUES (
    %(workspace_id)s, %(certificate_id)s, %(target)s, %(name)s, %(document_ids)s, %(erased_at)s,
    %(erased_by)s
)
ON CONFLICT DO NOTHING

-- name: list
SELECT certificate_id, workspace_id, target, name, document_ids, erased_at, erased_by
FROM erasures WHERE workspace_id = %(workspace_id)s ORDER BY erased_at, certificate_id

-- name: strip_events
-- Of what was told of the documents that alone stays that tells of their end, without their names.
UPDATE events
SET body = body || '{"filename": "", "external_id": null, "failure": null}'
WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(document_ids)s)
    AND kind = 'document.deleted'

-- name: delete_events
DELETE FROM events
WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(document_ids)s)
    AND kind <> 'document.deleted'

-- name: delete_pushes
DELETE FROM ingest_requests
WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(document_ids)s)

-- name: delete_holds
-- Only those that were lifted can go; others would have kept the documents.
DELETE FROM legal_holds
WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(document_ids)s)

-- name: of_principal
SELECT
    (
        SELECT count(*) FROM conversations
        WHERE workspace_id = %(workspace_id)s AND principal = %(principal_id)s
            AND created_at <= %(before)s
    ) AS conversations,
    (
        SELECT count(*) FROM audit_queries JOIN audit_log USING (workspace_id, entry_no)
        WHERE workspace_id = %(workspace_id)s AND principal = %(principal_id)s
            AND recorded_at <= %(before)s
    ) AS queries,
    (
        SELECT count(*) FROM ingest_requests
        WHERE workspace_id = %(workspace_id)s AND principal = %(principal_id)s
            AND created_at <= %(before)s
    ) AS pushes,
    (
        SELECT count(*) FROM saved_views
        WHERE workspace_id = %(workspace_id)s AND principal = %(principal_id)s
            AND created_at <= %(before)s
    ) AS views,
    (
        SELECT count(*) FROM evaluation_runs
        WHERE workspace_id = %(workspace_id)s AND kept_by = %(principal_id)s
            AND kept_at <= %(before)s
    ) + (
        SELECT count(*) FROM started_evaluations
        WHERE workspace_id = %(workspace_id)s AND started_by = %(principal_id)s
            AND started_at <= %(before)s
    ) AS evaluations

-- name: delete_conversations
DELETE FROM conversations
WHERE workspace_id = %(workspace_id)s AND principal = %(principal_id)s
    AND created_at <= %(before)s

-- name: delete_queries
DELETE FROM audit_queries
WHERE workspace_id = %(workspace_id)s AND entry_no IN (
    SELECT entry_no FROM audit_log
    WHERE workspace_id = %(workspace_id)s AND principal = %(principal_id)s
        AND recorded_at <= %(before)s
)

-- name: delete_pushes_of_principal
DELETE FROM ingest_requests
WHERE workspace_id = %(workspace_id)s AND principal = %(principal_id)s
    AND created_at <= %(before)s

-- name: delete_views
DELETE FROM saved_views
WHERE workspace_id = %(workspace_id)s AND principal = %(principal_id)s
    AND created_at <= %(before)s

-- name: delete_evaluations
-- Their questions were given by who kept them.
DELETE FROM evaluation_runs
WHERE workspace_id = %(workspace_id)s AND kept_by = %(principal_id)s
    AND kept_at <= %(before)s

-- name: delete_started_evaluations
DELETE FROM started_evaluations
WHERE workspace_id = %(workspace_id)s AND started_by = %(principal_id)s
    AND started_at <= %(before)s

-- name: certified
-- Read from its beginning: it is asked for seldom, and not worth an index that each act would write.
SELECT entry_no, subject ->> 'certificate_sha256' AS sha256 FROM audit_log
WHERE workspace_id = %(workspace_id)s AND verb = 'certify_erasure'
    AND subject ->> 'certificate_id' = %(certificate_id)s::text
ORDER BY entry_no LIMIT 1

-- name: entries_naming
SELECT count(*) AS found FROM audit_log
WHERE workspace_id = %(workspace_id)s AND documents && %(document_ids)s::uuid[]
