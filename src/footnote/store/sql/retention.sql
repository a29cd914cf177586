-- name: rules
SELECT kind, NULLIF(collection, '') AS collection, days, set_by, set_at FROM retention_rules
WHERE workspace_id = %(workspace_id)s ORDER BY kind, retention_rules.collection

-- name: set
INSERT INTO retention_rules (workspace_id, kind, collection, days, set_by)
VALUES (%(workspace_id)s, %(kind)s, %(collection)s, %(days)s, %(principal)s)
ON CONFLICT (workspace_id, kind, collection) DO UPDATE
SET days = EXCLUDED.days, set_by = EXCLUDED.set_by, set_at = now()

-- name: remove
DELETE FROM retention_rules
WHERE workspace_id = %(workspace_id)s AND kind = %(kind)s AND collection = %(collection)s

-- name: any_rule
SELECT EXISTS (
    SELECT FROM retention_rules WHERE workspace_id = %(workspace_id)s AND days IS NOT NULL
) AS found

-- name: due
-- The rule of a collection comes before that of the workspace. A document cannot be younger than
-- its newest version, so most that are not due are passed over along an index.
SELECT documents.document_id, documents.filename, documents.collection,
    newest.created_at AS handed_in_at, newest.created_at + rule.life AS due_at,
    under_legal_hold(documents.document_id) AS held
FROM documents
JOIN document_versions AS newest ON newest.workspace_id = documents.workspace_id
    AND newest.document_id = documents.document_id AND newest.version = documents.version
CROSS JOIN LATERAL (
    SELECT make_interval(days => days) AS life FROM retention_rules
    WHERE retention_rules.workspace_id = documents.workspace_id AND kind = 'documents'
        AND retention_rules.collection IN ('', documents.collection)
    ORDER BY retention_rules.collection DESC LIMIT 1
) AS rule
WHERE documents.workspace_id = %(workspace_id)s AND documents.parent_id IS NULL
    AND documents.created_at <= %(until)s::timestamptz - make_interval(
        days => (
            SELECT min(days) FROM retention_rules
            WHERE workspace_id = %(workspace_id)s AND kind = 'documents'
        )
    )
    AND newest.created_at + rule.life <= %(until)s

-- name: due_documents
SELECT * FROM (
-- include: due
) AS due
WHERE NOT held
ORDER BY due_at, document_id LIMIT %(limit)s

-- name: is_due
SELECT EXISTS (
    SELECT FROM (
-- include: due
    ) AS due
    WHERE document_id = %(document_id)s AND NOT held
) AS found

-- name: count_due_documents
SELECT count(*) FILTER (WHERE NOT held) AS found, count(*) FILTER (WHERE held) AS held FROM (
-- include: due
) AS due

-- name: due_conversations
-- Oldest first.
SELECT principal, conversation_id FROM conversations
WHERE workspace_id = %(workspace_id)s
    AND updated_at <= %(until)s::timestamptz - make_interval(days => (
        SELECT days FROM retention_rules
        WHERE workspace_id = %(workspace_id)s AND kind = 'conversations'
    ))
    AND NOT custodian_is_held(principal)

-- name: count_due_conversations
SELECT count(*) AS found FROM (
-- include: due_conversations
) AS due

-- name: delete_conversations
DELETE FROM conversations
WHERE workspace_id = %(workspace_id)s AND (principal, conversation_id) IN (
-- include: due_conversations
    ORDER BY updated_at LIMIT %(limit)s
)

-- name: due_queries
SELECT entry_no FROM audit_queries JOIN audit_log USING (workspace_id, entry_no)
WHERE workspace_id = %(workspace_id)s AND entry_no > %(after)s AND entry_no <= %(last)s
    AND recorded_at <= %(until)s::timestamptz - make_interval(days => (
        SELECT days FROM retention_rules
        WHERE workspace_id = %(workspace_id)s AND kind = 'queries'
    ))

-- name: count_due_queries
SELECT count(*) AS found FROM (
-- include: due_queries
    AND NOT custodian_is_held(principal)
) AS due

-- name: any_old_query
-- Those under legal hold among them.
SELECT EXISTS (
-- include: due_queries
) AS found

-- name: page_of_queries
-- The last of the next so many; null after the end.
SELECT max(entry_no) AS last FROM (
    SELECT entry_no FROM audit_queries
    WHERE workspace_id = %(workspace_id)s AND entry_no > %(after)s
    ORDER BY entry_no LIMIT %(limit)s
) AS page

-- name: delete_queries
DELETE FROM audit_queries
WHERE workspace_id = %(workspace_id)s AND entry_no IN (
-- include: due_queries
    AND NOT custodian_is_held(principal)
)

-- name: due_pushes
SELECT ingest_id FROM ingest_requests
WHERE workspace_id = %(workspace_id)s AND state IN ('received', 'failed')
    AND updated_at <= %(until)s::timestamptz - make_interval(days => (
        SELECT days FROM retention_rules
        WHERE workspace_id = %(workspace_id)s AND kind = 'pushes'
    ))

-- name: count_due_pushes
SELECT count(*) AS found FROM (
-- include: due_pushes
) AS due

-- name: delete_pushes
DELETE FROM ingest_requests
WHERE workspace_id = %(workspace_id)s AND ingest_id IN (
-- include: due_pushes
    LIMIT %(limit)s
)

-- name: delete_old_events
-- As the trigger that writes them does, for a workspace in which nothing happens any more.
DELETE FROM events
WHERE workspace_id = %(workspace_id)s AND created_at < now() - interval '7 days'
