-- name: waiting
-- Of the newest documents first: those whose keywords were chosen beside less than half of what the
-- workspace has now, or nobody knows beside what.
SELECT document_id, published_version AS version, language FROM documents
WHERE workspace_id = %(workspace_id)s AND published_version IS NOT NULL
    AND coalesce(keywords_among, -1) < %(chunks)s / 2
ORDER BY created_at DESC, document_id
LIMIT 1

-- name: progress
SELECT count(*) AS documents,
    count(*) FILTER (WHERE coalesce(keywords_among, -1) >= %(chunks)s / 2) AS done,
    min(created_at) FILTER (WHERE coalesce(keywords_among, -1) < %(chunks)s / 2) AS oldest_waiting
FROM documents
WHERE workspace_id = %(workspace_id)s AND published_version IS NOT NULL

-- name: keep
-- Unless a newer version has its own.
UPDATE documents SET keywords = %(keywords)s, keywords_among = %(among)s
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND published_version = %(version)s

-- name: pass_over
UPDATE documents SET keywords_among = %(among)s
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND published_version = %(version)s
