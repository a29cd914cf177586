-- name: has_citus
-- The view comes with the extension and is on its search path.
SELECT to_regclass('citus_tables') IS NOT NULL AS found

-- name: is_distributed
SELECT EXISTS (
    SELECT FROM citus_tables WHERE table_name = 'footnote.workspaces'::regclass
) AS found

-- name: enter_credential
SELECT enter_credential(%(kind)s, %(credential_id)s)

-- name: enter_login
SELECT enter_login(%(issuer)s, %(subject)s, %(provider_session)s, %(credential_id)s)

-- name: leave_directories
SELECT leave_directories(%(kind)s, %(credential_ids)s::text[])

-- name: latest_events
-- Whoever changes a document holds its row, so the last of its events is of that change. Not by the
-- number of the transaction, which each node counts by itself.
SELECT DISTINCT ON (document_id) transaction_id, event_no, kind, access FROM events
WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(document_ids)s::uuid[])
ORDER BY document_id, created_at DESC, event_no DESC

-- name: announce_event
-- Alone in its statement: beside a table it would run on the node of a shard.
SELECT announce_event(
    %(workspace_id)s, %(transaction_id)s, %(event_no)s, %(kind)s, %(access)s::text[]
)
