-- name: pending
-- The newest first, so that what is handed in now does not wait behind what lay there before.
-- Published documents that were not read by this extractor, or whose version was replaced since;
-- one that failed waits for another version or extractor.
SELECT documents.document_id, documents.published_version AS version, documents.title,
    documents.language,
    CASE
        WHEN entity_sets.version = documents.published_version THEN entity_sets.extractor
    END AS read_by
FROM documents
LEFT JOIN entity_sets
    ON entity_sets.workspace_id = %(workspace_id)s
    AND entity_sets.document_id = documents.document_id
WHERE documents.workspace_id = %(workspace_id)s AND documents.published_version IS NOT NULL
    AND (
        entity_sets.document_id IS NULL
        OR entity_sets.version <> documents.published_version
        OR entity_sets.extractor <> %(extractor)s
        OR (entity_sets.failure IS NOT NULL AND entity_sets.attempts < %(attempts)s)
    )
    AND CASE
        WHEN entity_sets.version = documents.published_version
            AND entity_sets.extractor = ANY (%(begun)s::text[]) THEN %(with_begun)s
        ELSE %(with_new)s
    END
-- What nothing has read yet comes before what a model is still to read.
ORDER BY entity_sets.version IS NOT DISTINCT FROM documents.published_version
    AND entity_sets.extractor = ANY (%(begun)s::text[]), documents.created_at DESC,
    documents.document_id
LIMIT %(limit)s

-- name: progress
SELECT count(*) AS documents,
    count(*) FILTER (
        WHERE entity_sets.version = documents.published_version
            AND entity_sets.extractor = ANY (%(extractors)s::text[])
            AND entity_sets.failure IS NULL
    ) AS done,
    count(*) FILTER (
        WHERE entity_sets.version = documents.published_version
            AND entity_sets.extractor = ANY (%(extractors)s::text[])
            AND entity_sets.failure IS NOT NULL
    ) AS failed,
    coalesce(sum(entity_sets.mentions) FILTER (
        WHERE entity_sets.version = documents.published_version
    ), 0)::bigint AS found,
    coalesce(sum(entity_sets.model_input_tokens), 0)::bigint AS model_input_tokens,
    coalesce(sum(entity_sets.model_output_tokens), 0)::bigint AS model_output_tokens,
    CASE
        WHEN bool_and(entity_sets.document_id IS NULL OR entity_sets.model_cost_usd IS NOT NULL)
            THEN coalesce(sum(entity_sets.model_cost_usd), 0)
    END AS model_cost_usd,
    coalesce(sum(entity_sets.left_out), 0)::bigint AS left_out,
    min(documents.created_at) FILTER (
        WHERE (entity_sets.version = documents.published_version
            AND entity_sets.extractor = ANY (%(extractors)s::text[])) IS NOT TRUE
    ) AS oldest_waiting
FROM documents
LEFT JOIN entity_sets
    ON entity_sets.workspace_id = %(workspace_id)s
    AND entity_sets.document_id = documents.document_id
WHERE documents.workspace_id = %(workspace_id)s AND documents.published_version IS NOT NULL

-- name: unread
-- Bytes of the texts that a model is to read; octet_length reads no text.
SELECT coalesce(sum(coalesce(octet_length(given.canonical_text), given.characters)), 0)::bigint
    AS bytes
FROM documents
JOIN document_versions AS given
    ON given.workspace_id = %(workspace_id)s
    AND given.document_id = documents.document_id
    AND given.version = documents.published_version
LEFT JOIN entity_sets
    ON entity_sets.workspace_id = %(workspace_id)s
    AND entity_sets.document_id = documents.document_id
    AND entity_sets.version = documents.published_version
    AND entity_sets.extractor = %(extractor)s
WHERE documents.workspace_id = %(workspace_id)s
    AND entity_sets.document_id IS NULL

-- name: failures
SELECT documents.document_id, documents.title, entity_sets.failure AS reason
FROM entity_sets
JOIN documents
    ON documents.workspace_id = %(workspace_id)s
    AND documents.document_id = entity_sets.document_id
    AND documents.published_version = entity_sets.version
WHERE entity_sets.workspace_id = %(workspace_id)s AND entity_sets.failure IS NOT NULL
ORDER BY entity_sets.extracted_at DESC, entity_sets.document_id
LIMIT %(limit)s

-- name: hold_version
-- A publication that is under way is waited for.
SELECT FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND published_version = %(version)s
FOR SHARE

-- name: earlier
-- What the document named before, so that names keep their entities from version to version.
SELECT name_key, entity_id, linked_by, link_confidence
FROM document_entities
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
ORDER BY ordinal

-- name: assigned
SELECT name_key, document_id, entity_id
FROM entity_assignments
WHERE workspace_id = %(workspace_id)s AND name_key = ANY (%(name_keys)s::bytea[])
    AND document_id IN (%(document_id)s, %(anywhere)s)

-- name: candidates
-- What other documents name under the same keys, a few of each.
SELECT wanted.key, document_entities.document_id, document_entities.ordinal,
    document_entities.entity_id, document_entities.kind, document_entities.content
FROM unnest(%(keys)s::bytea[]) AS wanted (key)
CROSS JOIN LATERAL (
    SELECT document_id, ordinal FROM entity_keys
    WHERE workspace_id = %(workspace_id)s AND entity_keys.key = wanted.key
        AND document_id <> %(document_id)s
    LIMIT %(limit)s
) AS found
JOIN document_entities
    ON document_entities.workspace_id = %(workspace_id)s
    AND document_entities.document_id = found.document_id
    AND document_entities.ordinal = found.ordinal

-- name: remove
DELETE FROM document_entities
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s

-- name: insert
INSERT INTO document_entities (
    workspace_id, document_id, ordinal, version, entity_id, kind, content, spans, mentions,
    confidence, reasons, linked_by, link_confidence, name_key
) VALUES (
    %(workspace_id)s, %(document_id)s, %(ordinal)s, %(version)s, %(entity_id)s, %(kind)s,
    %(content)s, %(spans)s, %(mentions)s, %(confidence)s, %(reasons)s, %(linked_by)s,
    %(link_confidence)s, %(name_key)s
)

-- name: insert_keys
INSERT INTO entity_keys (workspace_id, key, document_id, ordinal)
SELECT %(workspace_id)s, key, %(document_id)s, ordinal
FROM unnest(%(keys)s::bytea[], %(ordinals)s::integer[]) AS made (key, ordinal)
ON CONFLICT DO NOTHING

-- name: note_set
INSERT INTO entity_sets (
    workspace_id, document_id, version, extractor, entities, mentions, failure, attempts,
    model_input_tokens, model_output_tokens, model_cost_usd, left_out
) VALUES (
    %(workspace_id)s, %(document_id)s, %(version)s, %(extractor)s, %(entities)s, %(mentions)s,
    %(failure)s, (%(failure)s::text IS NOT NULL)::integer,
    %(model_input_tokens)s, %(model_output_tokens)s, %(model_cost_usd)s, %(left_out)s
)
ON CONFLICT (workspace_id, document_id) DO UPDATE SET
    version = excluded.version, extractor = excluded.extractor, entities = excluded.entities,
    mentions = excluded.mentions, failure = excluded.failure,
    attempts = CASE
        WHEN excluded.failure IS NULL THEN 0
        WHEN entity_sets.version = excluded.version
            AND entity_sets.extractor = excluded.extractor THEN entity_sets.attempts + 1
        ELSE 1
    END,
    model_input_tokens = excluded.model_input_tokens,
    model_output_tokens = excluded.model_output_tokens,
    model_cost_usd = excluded.model_cost_usd, left_out = excluded.left_out, extracted_at = now()

-- name: note_failure
-- What was extracted of it before stays.
INSERT INTO entity_sets (workspace_id, document_id, version, extractor, failure, attempts)
VALUES (%(workspace_id)s, %(document_id)s, %(version)s, %(extractor)s, %(failure)s, 1)
ON CONFLICT (workspace_id, document_id) DO UPDATE SET
    attempts = CASE
        WHEN entity_sets.version = excluded.version
            AND entity_sets.extractor = excluded.extractor THEN entity_sets.attempts + 1
        ELSE 1
    END,
    version = excluded.version, extractor = excluded.extractor, failure = excluded.failure,
    extracted_at = now()

-- name: shown
-- What published versions name, as far as their documents may be seen.
SELECT document_entities.document_id, document_entities.ordinal, document_entities.version,
    document_entities.entity_id, document_entities.kind, document_entities.content,
    document_entities.spans, document_entities.mentions, document_entities.confidence,
    document_entities.reasons, document_entities.linked_by, document_entities.link_confidence,
    document_entities.name_key, documents.title AS document_title
FROM document_entities
JOIN documents
    ON documents.workspace_id = %(workspace_id)s
    AND documents.document_id = document_entities.document_id
    AND documents.published_version = document_entities.version
WHERE document_entities.workspace_id = %(workspace_id)s

-- name: counted
SELECT document_entities.entity_id,
    count(DISTINCT document_entities.document_id) AS documents,
    sum(document_entities.mentions)::bigint AS mentions,
    mode() WITHIN GROUP (ORDER BY document_entities.kind) AS kind
FROM document_entities
JOIN documents
    ON documents.workspace_id = %(workspace_id)s
    AND documents.document_id = document_entities.document_id
    AND documents.published_version = document_entities.version
WHERE document_entities.workspace_id = %(workspace_id)s
    AND (
        cardinality(%(kinds)s::text[]) = 0 OR document_entities.kind = ANY (%(kinds)s::text[])
    )
    AND (
        %(document_id)s::uuid IS NULL OR document_entities.entity_id IN (
            SELECT entity_id FROM document_entities
            WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
        )
    )
    AND (
        %(wanted)s::uuid[] IS NULL OR document_entities.entity_id = ANY (%(wanted)s::uuid[])
    )
GROUP BY document_entities.entity_id

-- name: page
SELECT entity_id, documents, mentions, kind FROM (
-- include: counted
) AS counted
WHERE %(after)s::uuid IS NULL
    OR (-documents, -mentions, entity_id) > (
        -%(after_documents)s::bigint, -%(after_mentions)s::bigint, %(after)s::uuid
    )
ORDER BY documents DESC, mentions DESC, entity_id
LIMIT %(limit)s

-- name: with_words
-- Entities that some document names by all of these words.
SELECT DISTINCT document_entities.entity_id
FROM (
    SELECT document_id, ordinal
    FROM entity_keys
    WHERE workspace_id = %(workspace_id)s AND key = ANY (%(keys)s::bytea[])
    GROUP BY document_id, ordinal
    HAVING count(*) = cardinality(%(keys)s::bytea[])
) AS found
JOIN document_entities
    ON document_entities.workspace_id = %(workspace_id)s
    AND document_entities.document_id = found.document_id
    AND document_entities.ordinal = found.ordinal
LIMIT %(limit)s

-- name: of_entities
-- Those of each entity that name it most often.
SELECT named.*
FROM unnest(%(entity_ids)s::uuid[]) AS wanted (entity_id)
CROSS JOIN LATERAL (
    SELECT * FROM (
-- include: shown
    ) AS shown
    WHERE shown.entity_id = wanted.entity_id
    ORDER BY mentions DESC, document_id, ordinal
    LIMIT %(limit)s
) AS named

-- name: mentions_of
-- What names an entity, from a place on.
SELECT * FROM (
-- include: shown
) AS shown
WHERE entity_id = %(entity_id)s AND (document_id, ordinal) >= (%(document_id)s, %(ordinal)s)
ORDER BY document_id, ordinal
LIMIT %(limit)s

-- name: called
SELECT DISTINCT document_entities.entity_id
FROM entity_keys
JOIN document_entities
    ON document_entities.workspace_id = %(workspace_id)s
    AND document_entities.document_id = entity_keys.document_id
    AND document_entities.ordinal = entity_keys.ordinal
WHERE entity_keys.workspace_id = %(workspace_id)s
    AND entity_keys.key = ANY (%(name_keys)s::bytea[])

-- name: given_names
SELECT entity_id, name FROM entity_names
WHERE workspace_id = %(workspace_id)s AND entity_id = ANY (%(entity_ids)s::uuid[])

-- name: all_given_names
SELECT entity_id, name FROM entity_names
WHERE workspace_id = %(workspace_id)s
ORDER BY entity_id
LIMIT %(limit)s

-- name: members
-- All that an entity is named by, of whichever version.
SELECT document_id, ordinal, kind, name_key, content
FROM document_entities
WHERE workspace_id = %(workspace_id)s AND entity_id = %(entity_id)s
ORDER BY document_id, ordinal
FOR UPDATE

-- name: move
UPDATE document_entities SET
    entity_id = moved.entity_id, linked_by = %(linked_by)s, link_confidence = 1
FROM unnest(
    %(document_ids)s::uuid[], %(name_keys)s::bytea[], %(entity_ids)s::uuid[]
) AS moved (document_id, name_key, entity_id)
WHERE document_entities.workspace_id = %(workspace_id)s
    AND document_entities.document_id = moved.document_id
    AND document_entities.name_key = moved.name_key

-- name: assignments_of
SELECT name_key, document_id, entity_id FROM entity_assignments
WHERE workspace_id = %(workspace_id)s AND name_key = ANY (%(name_keys)s::bytea[])

-- name: assigned_to
SELECT name_key, document_id, entity_id FROM entity_assignments
WHERE workspace_id = %(workspace_id)s AND entity_id = %(entity_id)s

-- name: assign
INSERT INTO entity_assignments (workspace_id, name_key, document_id, entity_id)
VALUES (%(workspace_id)s, %(name_key)s, %(document_id)s, %(entity_id)s)
ON CONFLICT (workspace_id, name_key, document_id) DO UPDATE SET entity_id = excluded.entity_id

-- name: unassign
DELETE FROM entity_assignments
WHERE workspace_id = %(workspace_id)s AND name_key = %(name_key)s
    AND document_id = %(document_id)s

-- name: redirect
-- What was assigned to an entity that another took in.
UPDATE entity_assignments SET entity_id = %(entity_id)s
WHERE workspace_id = %(workspace_id)s AND entity_id = %(other_id)s

-- name: give_name
INSERT INTO entity_names (workspace_id, entity_id, name)
VALUES (%(workspace_id)s, %(entity_id)s, %(name)s)
ON CONFLICT (workspace_id, entity_id) DO UPDATE SET name = excluded.name

-- name: take_name
DELETE FROM entity_names WHERE workspace_id = %(workspace_id)s AND entity_id = %(entity_id)s

-- name: note_decision
INSERT INTO entity_decisions (
    workspace_id, decision_id, act, entity_id, other_id, content, decided_by
) VALUES (
    %(workspace_id)s, %(decision_id)s, %(act)s, %(entity_id)s, %(other_id)s, %(content)s,
    %(decided_by)s
)

-- name: decision
SELECT decision_id, act, entity_id, other_id, content, decided_by, decided_at, undone_at
FROM entity_decisions
WHERE workspace_id = %(workspace_id)s AND decision_id = %(decision_id)s
FOR UPDATE

-- name: decisions
SELECT decision_id, act, entity_id, other_id, content, decided_by, decided_at, undone_at
FROM entity_decisions
WHERE workspace_id = %(workspace_id)s
    AND (entity_id = %(entity_id)s OR other_id = %(entity_id)s)
ORDER BY decided_at DESC, decision_id
LIMIT %(limit)s

-- name: later_decisions
-- Decisions of an entity that stand and came after this one.
SELECT decision_id FROM entity_decisions
WHERE workspace_id = %(workspace_id)s AND undone_at IS NULL
    AND decided_at > %(decided_at)s
    AND (
        entity_id IN (%(entity_id)s, %(other_id)s) OR other_id IN (%(entity_id)s, %(other_id)s)
    )
LIMIT 1

-- name: undo
UPDATE entity_decisions SET undone_at = now()
WHERE workspace_id = %(workspace_id)s AND decision_id = %(decision_id)s

-- name: drop_orphans
-- Names that somebody gave to what no document names any more.
DELETE FROM entity_names
WHERE workspace_id = %(workspace_id)s AND NOT EXISTS (
    SELECT FROM document_entities
    WHERE document_entities.workspace_id = %(workspace_id)s
        AND document_entities.entity_id = entity_names.entity_id
)

-- name: drop_assignments
-- What was decided of names in documents that are gone.
DELETE FROM entity_assignments
WHERE workspace_id = %(workspace_id)s AND document_id <> %(anywhere)s AND NOT EXISTS (
    SELECT FROM documents
    WHERE documents.workspace_id = %(workspace_id)s
        AND documents.document_id = entity_assignments.document_id
)

-- name: count_orphans
-- Given names of entities that none but these documents name.
SELECT count(*) AS found FROM entity_names
WHERE workspace_id = %(workspace_id)s AND NOT EXISTS (
    SELECT FROM document_entities
    WHERE document_entities.workspace_id = %(workspace_id)s
        AND document_entities.entity_id = entity_names.entity_id
        AND document_entities.document_id <> ALL (%(document_ids)s::uuid[])
)

-- name: every_decision
SELECT decision_id, act, entity_id, other_id, content, undone_at FROM entity_decisions
WHERE workspace_id = %(workspace_id)s
ORDER BY decision_id

-- name: lock_decisions
-- include: every_decision
FOR UPDATE

-- name: change_decision
UPDATE entity_decisions SET content = %(content)s
WHERE workspace_id = %(workspace_id)s AND decision_id = %(decision_id)s

-- name: still_named
-- Which of these entities other documents name.
SELECT DISTINCT entity_id FROM document_entities
WHERE workspace_id = %(workspace_id)s AND entity_id = ANY (%(entity_ids)s::uuid[])
    AND document_id <> ALL (%(document_ids)s::uuid[])

-- name: documents_there
SELECT document_id FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(mentioned)s::uuid[])
    AND document_id <> ALL (%(document_ids)s::uuid[])
