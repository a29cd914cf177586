-- name: pending
-- The newest first, so that what is handed in now does not wait behind what lay there before.
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
ORDER BY documents.created_at DESC, documents.document_id
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
    ) AS failed,
    min(documents.created_at) FILTER (
        WHERE (summary_sets.version = documents.published_version
            AND summary_sets.summariser = %(summariser)s) IS NOT TRUE
    ) AS oldest_waiting
FROM documents
LEFT JOIN summary_sets
    ON summary_sets.workspace_id = %(workspace_id)s
    AND summary_sets.document_id = documents.document_id
WHERE documents.workspace_id = %(workspace_id)s AND documents.published_version IS NOT NULL

-- name: failures
SELECT documents.document_id, documents.title,
    coalesce(summary_sets.failure, summary_sets.writing_failure) AS reason
FROM summary_sets
JOIN documents
    ON documents.workspace_id = %(workspace_id)s
    AND documents.document_id = summary_sets.document_id
    AND documents.published_version = summary_sets.version
WHERE summary_sets.workspace_id = %(workspace_id)s
    AND (
        summary_sets.failure IS NOT NULL
        OR (summary_sets.writing_failure IS NOT NULL AND summary_sets.writer = %(writer)s)
    )
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
    writer = NULL, writing_failure = NULL, writing_attempts = 0, left_out = 0, made_at = now()

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

-- name: unwritten
-- Versions whose sentences are there, and of which this writer wrote nothing yet; one that it
-- failed at is tried again a few times.
SELECT documents.document_id, documents.published_version AS version, documents.title,
    documents.language, documents.keywords
FROM documents
JOIN summary_sets
    ON summary_sets.workspace_id = %(workspace_id)s
    AND summary_sets.document_id = documents.document_id
    AND summary_sets.version = documents.published_version
    AND summary_sets.summariser = %(summariser)s AND summary_sets.failure IS NULL
WHERE documents.workspace_id = %(workspace_id)s
    AND (
        summary_sets.writer IS DISTINCT FROM %(writer)s
        OR (
            summary_sets.writing_failure IS NOT NULL
            AND summary_sets.writing_attempts < %(attempts)s
        )
    )
ORDER BY documents.created_at DESC, documents.document_id
LIMIT %(limit)s

-- name: written_progress
SELECT coalesce(sum(summary_sets.model_input_tokens), 0)::bigint AS input_tokens,
    coalesce(sum(summary_sets.model_output_tokens), 0)::bigint AS output_tokens,
    CASE
        WHEN bool_and(summary_sets.document_id IS NULL OR summary_sets.model_cost_usd IS NOT NULL)
            THEN coalesce(sum(summary_sets.model_cost_usd), 0)
    END AS cost_usd,
    coalesce(sum(summary_sets.left_out), 0)::bigint AS left_out,
    count(*) FILTER (
        WHERE summary_sets.version = documents.published_version
            AND summary_sets.writer = %(writer)s AND summary_sets.writing_failure IS NULL
    ) AS done,
    count(*) FILTER (
        WHERE summary_sets.version = documents.published_version
            AND summary_sets.writer = %(writer)s AND summary_sets.writing_failure IS NOT NULL
    ) AS failed,
    count(*) FILTER (
        WHERE summary_sets.version IS DISTINCT FROM documents.published_version
            OR summary_sets.writer IS DISTINCT FROM %(writer)s
    ) AS remaining,
    min(documents.created_at) FILTER (
        WHERE summary_sets.version IS DISTINCT FROM documents.published_version
            OR summary_sets.writer IS DISTINCT FROM %(writer)s
    ) AS oldest_waiting,
    coalesce(sum(
        least(coalesce(octet_length(given.canonical_text), given.characters), %(most_bytes)s)
    ) FILTER (
        WHERE summary_sets.version IS DISTINCT FROM documents.published_version
            OR summary_sets.writer IS DISTINCT FROM %(writer)s
    ), 0)::bigint AS remaining_bytes
FROM documents
JOIN document_versions AS given
    ON given.workspace_id = %(workspace_id)s
    AND given.document_id = documents.document_id
    AND given.version = documents.published_version
LEFT JOIN summary_sets
    ON summary_sets.workspace_id = %(workspace_id)s
    AND summary_sets.document_id = documents.document_id
WHERE documents.workspace_id = %(workspace_id)s

-- name: remove_written
DELETE FROM written_sentences
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s

-- name: insert_written
INSERT INTO written_sentences (workspace_id, document_id, ordinal, version, support, content)
VALUES (
    %(workspace_id)s, %(document_id)s, %(ordinal)s, %(version)s, %(support)s, %(content)s
)

-- name: note_written
-- What was used is added up over all tries.
UPDATE summary_sets SET
    writing_attempts = CASE WHEN writer = %(writer)s THEN writing_attempts + 1 ELSE 1 END,
    writer = %(writer)s, writing_failure = %(failure)s,
    model_input_tokens = model_input_tokens + %(input_tokens)s,
    model_output_tokens = model_output_tokens + %(output_tokens)s,
    model_cost_usd = model_cost_usd + %(cost_usd)s,
    left_out = %(left_out)s, made_at = now()
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s AND version = %(version)s

-- name: written
-- Of published versions, by this writer.
SELECT written_sentences.*, documents.title
FROM documents
JOIN summary_sets
    ON summary_sets.workspace_id = %(workspace_id)s
    AND summary_sets.document_id = documents.document_id
    AND summary_sets.version = documents.published_version
    AND summary_sets.writer = %(writer)s AND summary_sets.writing_failure IS NULL
JOIN written_sentences
    ON written_sentences.workspace_id = %(workspace_id)s
    AND written_sentences.document_id = documents.document_id
    AND written_sentences.version = documents.published_version
WHERE documents.workspace_id = %(workspace_id)s
    AND documents.document_id = ANY (%(document_ids)s::uuid[])
ORDER BY written_sentences.document_id, written_sentences.ordinal
