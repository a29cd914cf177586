-- name: events_after
-- Transactions commit in another order than they begin; what is older than every running one is
-- complete, and nothing can come before it any more.
SELECT transaction_id, event_no, kind, document_id, body, created_at FROM events
WHERE workspace_id = %(workspace_id)s
    AND (transaction_id, event_no) > (%(transaction_id)s, %(event_no)s)
    AND transaction_id < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
ORDER BY transaction_id, event_no
LIMIT %(limit)s

-- name: events_of_document_after
SELECT transaction_id, event_no, kind, document_id, body, created_at FROM events
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND (transaction_id, event_no) > (%(transaction_id)s, %(event_no)s)
    AND transaction_id < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
ORDER BY transaction_id, event_no
LIMIT %(limit)s

-- name: now
-- Everything that is complete at this moment lies before it.
SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS transaction_id

-- name: event
SELECT transaction_id, event_no, kind, document_id, body, created_at FROM events
WHERE workspace_id = %(workspace_id)s AND transaction_id = %(transaction_id)s
    AND event_no = %(event_no)s

-- name: listen
LISTEN footnote_events
