-- name: pending
-- Published documents that were not summarised by this, or whose version was replaced since; one
-- that failed waits for another version or summariser.
SELECT documents.document_id, documents.published_version AS version, documents.title,
    documents.language, documents.keywords
FROM documents
LEFT JOIN summary_sets
    ON summary_sets.workspace_id = %(workspace_id)s
    AND summary_sets.document_id = documents.document_id
WHERE documents.workspace_id = %(workspace_id)s AND documents.published_version IS NOT NULL
    AND (
        summary_sets.document_id IS NULL
        OR summary_sets.version <> documents.published_version
        OR summary_sets.summariser <> %(summariser)s
        OR (summary_sets.failure IS NOT NULL AND summary_sets.attempts < %(attempts)s)
    )
ORDER BY documents.document_id
LIMIT %(limit)s

-- name: progress
SELECT count(*) AS documents,
    count(*) FILTER (
        WHERE summary_sets.version = documents.published_version
            AND summary_sets.summariser = %(summariser)s AND summary_sets.failure IS NULL
    ) AS done,
    count(*) FILTER (
        WHERE summary_sets.version = documents.published_version
            AND summary_sets.summariser = %(summariser)s AND summary_sets.failure IS NOT NULL
    ) AS failed
FROM documents
LEFT JOIN summary_sets
    ON summary_sets.workspace_id = %(workspace_id)s
    AND summary_sets.document_id = documents.document_id
WHERE documents.workspace_id = %(workspace_id)s AND documents.published_version IS NOT NULL

-- name: failures
SELECT documents.document_id, documents.title, summary_sets.failure AS reason
FROM summary_sets
JOIN documents
    ON documents.workspace_id = %(workspace_id)s
    AND documents.document_id = summary_sets.document_id
    AND documents.published_version = summary_sets.version
WHERE summary_sets.workspace_id = %(workspace_id)s AND summary_sets.failure IS NOT NULL
ORDER BY summary_sets.made_at DESC, summary_sets.document_id
LIMIT %(limit)s

-- name: hold_version
-- A publication that is under way is waited for.
SELECT FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND published_version = %(version)s
FOR SHARE

-- name: remove
DELETE FROM summary_sentences
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s

-- name: insert
INSERT INTO summary_sentences (
    workspace_id, document_id, ordinal, version, char_start, char_end, text, weight, embedding
) VALUES (
    %(workspace_id)s, %(document_id)s, %(ordinal)s, %(version)s, %(char_start)s, %(char_end)s,
    %(text)s, %(weight)s, %(embedding)s
)

-- name: note_set
INSERT INTO summary_sets (workspace_id, document_id, version, summariser)
VALUES (%(workspace_id)s, %(document_id)s, %(version)s, %(summariser)s)
ON CONFLICT (workspace_id, document_id) DO UPDATE SET
    version = excluded.version, summariser = excluded.summariser, failure = NULL, attempts = 0,
    made_at = now()

-- name: note_failure
-- What was made of it before stays.
INSERT INTO summary_sets (workspace_id, document_id, version, summariser, failure, attempts)
SELECT %(workspace_id)s, document_id, %(version)s, %(summariser)s, %(failure)s, 1 FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
ON CONFLICT (workspace_id, document_id) DO UPDATE SET
    attempts = CASE
        WHEN summary_sets.version = excluded.version
            AND summary_sets.summariser = excluded.summariser
            THEN summary_sets.attempts + 1
        ELSE 1
    END,
    version = excluded.version, summariser = excluded.summariser, failure = excluded.failure,
    made_at = now()

-- name: latest_of_collection
SELECT document_id FROM documents
WHERE workspace_id = %(workspace_id)s AND collection = %(collection)s
    AND published_version IS NOT NULL
ORDER BY created_at DESC, document_id
LIMIT %(limit)s

-- name: sentences
-- Of published versions that were summarised by this, by document and falling weight.
SELECT summary_sentences.*, documents.title
FROM documents
JOIN summary_sets
    ON summary_sets.workspace_id = %(workspace_id)s
    AND summary_sets.document_id = documents.document_id
    AND summary_sets.version = documents.published_version
    AND summary_sets.summariser = %(summariser)s
JOIN summary_sentences
    ON summary_sentences.workspace_id = %(workspace_id)s
    AND summary_sentences.document_id = documents.document_id
    AND summary_sentences.version = documents.published_version
WHERE documents.workspace_id = %(workspace_id)s
    AND documents.document_id = ANY (%(document_ids)s::uuid[])
ORDER BY summary_sentences.document_id, summary_sentences.ordinal
