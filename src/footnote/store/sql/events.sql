-- name: complete
-- The number up to which all events of the workspace are committed, or never will be. Who tells of
-- one first takes a lock with the number that was drawn last, so its own is above that; who takes
-- one after this has looked gets a number above the newest. The newest is read first, the locks
-- after it, and the events in a statement after this one.
SELECT least(newest, (
    SELECT min(newest - above) FROM pg_locks
    CROSS JOIN LATERAL (SELECT (newest - objid::bigint) & 2147483647) AS since (above)
    WHERE locktype = 'advisory' AND objsubid = 2
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND classid::bigint = hashtext(%(workspace_id)s::text)::bigint & 4294967295
        -- Not those that came after the newest was read.
        AND above < 1073741824
)) AS event_no
FROM (SELECT coalesce(pg_sequence_last_value('event_numbers'), 0) AS newest OFFSET 0) AS drawn

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
