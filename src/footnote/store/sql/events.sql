-- name: complete
-- The number up to which all events of the workspace are committed, or never will be. Asked beside the
-- workspace, for on a cluster numbers are drawn, and locks taken, on its node.
SELECT coalesce(max(complete_events(workspace_id)), 0) AS event_no FROM workspaces
WHERE workspace_id = %(workspace_id)s

-- name: events_after
SELECT transaction_id, event_no, kind, document_id, body, created_at FROM events
WHERE workspace_id = %(workspace_id)s
    AND event_no > %(event_no)s AND event_no <= %(complete)s
ORDER BY event_no
LIMIT %(limit)s

-- name: events_of_document_after
SELECT transaction_id, event_no, kind, document_id, body, created_at FROM events
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND event_no > %(event_no)s AND event_no <= %(complete)s
ORDER BY event_no
LIMIT %(limit)s

-- name: event
SELECT transaction_id, event_no, kind, document_id, body, created_at FROM events
WHERE workspace_id = %(workspace_id)s AND transaction_id = %(transaction_id)s
    AND event_no = %(event_no)s

-- name: listen
LISTEN footnote_events
