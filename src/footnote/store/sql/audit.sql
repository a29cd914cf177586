-- name: lock
-- One writer at a time appends to a workspace's log, for as long as a batch takes. A statement of
-- its own: the next one sees what the writer before committed.
SELECT pg_advisory_xact_lock(hashtextextended('footnote audit ' || %(workspace_id)s::text, 0))

-- name: head
SELECT entry_no, encode(entry_hash, 'hex') AS entry_hash FROM audit_log
WHERE workspace_id = %(workspace_id)s
ORDER BY workspace_id DESC, entry_no DESC
LIMIT 1

-- name: append
-- Fails where the entry before is not the one that it was chained to: there is no number then, or
-- another entry has it.
INSERT INTO audit_log (
    workspace_id, entry_no, act_id, recorded_at, principal, credential, act, verb, outcome, error,
    subject, documents, passages, query_digest, previous_hash, entry_hash
) VALUES (
    %(workspace_id)s,
    CASE WHEN %(entry_no)s = 1 OR EXISTS (
        SELECT FROM audit_log
        WHERE workspace_id = %(workspace_id)s AND entry_no = %(entry_no)s - 1
            AND entry_hash = decode(%(previous_hash)s, 'hex')
    ) THEN %(entry_no)s END,
    %(act_id)s, %(recorded_at)s, %(acting)s, %(credential)s,
    %(act)s, %(verb)s, %(outcome)s, %(error)s, %(subject)s, %(documents)s, %(passages)s,
    decode(%(query_digest)s, 'hex'), decode(%(previous_hash)s, 'hex'), decode(%(entry_hash)s, 'hex')
)

-- name: keep_query
INSERT INTO audit_queries (workspace_id, entry_no, salt, query)
VALUES (%(workspace_id)s, %(entry_no)s, decode(%(query_salt)s, 'hex'), %(query)s)

-- name: columns
entry_no, act_id, recorded_at, principal, credential, act, verb, outcome, error, subject, documents,
passages, encode(query_digest, 'hex') AS query_digest, encode(previous_hash, 'hex') AS previous_hash,
encode(entry_hash, 'hex') AS entry_hash, query, encode(salt, 'hex') AS query_salt

-- name: entries
-- Backwards along the key until enough fit; what is asked for is not worth an index that each
-- search would have to write.
SELECT
-- include: columns
FROM audit_log LEFT JOIN audit_queries USING (workspace_id, entry_no)
WHERE workspace_id = %(workspace_id)s
    AND entry_no < %(before)s
    AND (%(acting)s::text IS NULL OR principal = %(acting)s)
    AND (%(act)s::text IS NULL OR act = %(act)s)
    AND (%(document_id)s::uuid IS NULL OR %(document_id)s = ANY (documents))
    AND (%(recorded_from)s::timestamptz IS NULL OR recorded_at >= %(recorded_from)s)
    AND (%(recorded_before)s::timestamptz IS NULL OR recorded_at < %(recorded_before)s)
ORDER BY entry_no DESC
LIMIT %(limit)s

-- name: entries_about
-- What somebody did, and what names somebody among its subjects. Along the key, as above: it is
-- read for one export at a time.
SELECT
-- include: columns
FROM audit_log LEFT JOIN audit_queries USING (workspace_id, entry_no)
WHERE workspace_id = %(workspace_id)s AND entry_no > %(after)s
    AND (principal = %(who)s OR %(by_others)s AND EXISTS (
        SELECT FROM jsonb_each_text(subject) AS named
        WHERE %(who)s = ANY (string_to_array(named.value, ', '))
    ))
ORDER BY entry_no
LIMIT %(limit)s

-- name: entries_after
SELECT
-- include: columns
FROM audit_log LEFT JOIN audit_queries USING (workspace_id, entry_no)
WHERE workspace_id = %(workspace_id)s AND entry_no > %(after)s
ORDER BY entry_no
LIMIT %(limit)s
