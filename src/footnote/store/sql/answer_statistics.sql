-- name: cited
-- Of everybody, so it takes the system; who reads it is told of documents alone.
SELECT document_id, sum(citations)::bigint AS citations, count(*) AS answers,
    max(answered_at) AS last_cited_at
FROM message_sources
WHERE workspace_id = %(workspace_id)s AND citations > 0
    AND answered_at >= %(begin)s AND answered_at < %(end)s
GROUP BY document_id

-- name: most_cited
SELECT documents.*, cited.citations, cited.answers, cited.last_cited_at
FROM unnest(
    %(document_ids)s::uuid[], %(citations)s::bigint[], %(answers)s::bigint[],
    %(last_cited)s::timestamptz[]
) AS cited (document_id, citations, answers, last_cited_at)
JOIN documents ON documents.workspace_id = %(workspace_id)s
    AND documents.document_id = cited.document_id
WHERE %(collections)s::text[] IS NULL OR documents.collection = ANY (%(collections)s)
ORDER BY cited.citations DESC, cited.answers DESC, cited.document_id LIMIT %(limit)s

-- name: never_cited
-- In the order of an index; those that are cited are looked up in a hashed array.
SELECT * FROM documents
WHERE workspace_id = %(workspace_id)s AND status = 'indexed' AND created_at < %(end)s
    AND document_id <> ALL (%(document_ids)s::uuid[])
    AND (%(collections)s::text[] IS NULL OR collection = ANY (%(collections)s))
ORDER BY created_at, document_id LIMIT %(limit)s

-- name: count_never_cited
SELECT count(*) AS documents,
    count(*) FILTER (WHERE document_id <> ALL (%(document_ids)s::uuid[])) AS never_cited
FROM documents
WHERE workspace_id = %(workspace_id)s AND status = 'indexed' AND created_at < %(end)s
    AND (%(collections)s::text[] IS NULL OR collection = ANY (%(collections)s))

-- name: unanswered
-- Of everybody, so it takes the system; latest first.
SELECT messages.principal AS asker, conversation_id, message_no, created_at, answer
FROM messages
WHERE workspace_id = %(workspace_id)s AND NOT found
    AND created_at >= %(begin)s AND created_at < %(end)s
ORDER BY created_at DESC LIMIT %(limit)s
