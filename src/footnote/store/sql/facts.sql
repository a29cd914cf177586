-- name: pending
-- The newest first, so that what is handed in now does not wait behind what lay there before.
-- Published documents that were not read by this extractor, or whose version was replaced since;
-- one that failed waits for another version or extractor.
SELECT documents.document_id, documents.published_version AS version, documents.title,
    documents.language,
    CASE
        WHEN fact_sets.version = documents.published_version THEN fact_sets.extractor
    END AS read_by
FROM documents
LEFT JOIN fact_sets
    ON fact_sets.workspace_id = %(workspace_id)s
    AND fact_sets.document_id = documents.document_id
WHERE documents.workspace_id = %(workspace_id)s AND documents.published_version IS NOT NULL
    AND (cardinality(%(classes)s::text[]) = 0 OR documents.document_class = ANY (%(classes)s))
    AND (
        fact_sets.document_id IS NULL
        OR fact_sets.version <> documents.published_version
        OR fact_sets.extractor <> %(extractor)s
        OR (fact_sets.failure IS NOT NULL AND fact_sets.attempts < %(attempts)s)
    )
    AND CASE
        WHEN fact_sets.version = documents.published_version
            AND fact_sets.extractor = ANY (%(begun)s::text[]) THEN %(with_begun)s
        ELSE %(with_new)s
    END
-- What no rule has read yet comes before what a model is still to read.
ORDER BY fact_sets.version IS NOT DISTINCT FROM documents.published_version
    AND fact_sets.extractor = ANY (%(begun)s::text[]), documents.created_at DESC, documents.document_id
LIMIT %(limit)s

-- name: progress
SELECT count(*) AS documents,
    count(*) FILTER (
        WHERE fact_sets.version = documents.published_version
            AND fact_sets.extractor = ANY (%(extractors)s::text[]) AND fact_sets.failure IS NULL
    ) AS done,
    count(*) FILTER (
        WHERE fact_sets.version = documents.published_version
            AND fact_sets.extractor = ANY (%(extractors)s::text[]) AND fact_sets.failure IS NOT NULL
    ) AS failed,
    coalesce(sum(fact_sets.facts) FILTER (
        WHERE fact_sets.version = documents.published_version
    ), 0)::bigint AS found,
    coalesce(sum(fact_sets.model_input_tokens), 0)::bigint AS model_input_tokens,
    coalesce(sum(fact_sets.model_output_tokens), 0)::bigint AS model_output_tokens,
    CASE
        WHEN bool_and(fact_sets.document_id IS NULL OR fact_sets.model_cost_usd IS NOT NULL)
            THEN coalesce(sum(fact_sets.model_cost_usd), 0)
    END AS model_cost_usd,
    coalesce(sum(fact_sets.left_out), 0)::bigint AS left_out,
    min(documents.created_at) FILTER (
        WHERE (fact_sets.version = documents.published_version
            AND fact_sets.extractor = ANY (%(extractors)s::text[])) IS NOT TRUE
    ) AS oldest_waiting
FROM documents
LEFT JOIN fact_sets
    ON fact_sets.workspace_id = %(workspace_id)s
    AND fact_sets.document_id = documents.document_id
WHERE documents.workspace_id = %(workspace_id)s AND documents.published_version IS NOT NULL
    AND (cardinality(%(classes)s::text[]) = 0 OR documents.document_class = ANY (%(classes)s))

-- name: failures
SELECT documents.document_id, documents.title, fact_sets.failure AS reason
FROM fact_sets
JOIN documents
    ON documents.workspace_id = %(workspace_id)s
    AND documents.document_id = fact_sets.document_id
    AND documents.published_version = fact_sets.version
WHERE fact_sets.workspace_id = %(workspace_id)s AND fact_sets.failure IS NOT NULL
ORDER BY fact_sets.extracted_at DESC, fact_sets.document_id
LIMIT %(limit)s

-- name: hold_version
-- A publication that is under way is waited for.
SELECT FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND published_version = %(version)s
FOR SHARE

-- name: known
SELECT fact_id, version, since_version, ordinal, same_key, group_id, status, decided_by, decided_at
FROM facts
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND status <> 'superseded'
ORDER BY version, ordinal

-- name: decided
SELECT decided FROM fact_sets
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s

-- name: remove
DELETE FROM facts
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND (status = 'superseded' OR fact_id = ANY (%(fact_ids)s::uuid[]))

-- name: supersede
UPDATE facts SET status = 'superseded'
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND version <> %(version)s

-- name: leave_lane
-- Facts of other documents are found by their words until they are read again.
UPDATE lanes SET state = 'purged' WHERE workspace_id = %(workspace_id)s AND lane_id = %(lane_id)s

-- name: drop_lane_vectors
DELETE FROM fact_embeddings
WHERE workspace_id = %(workspace_id)s AND lane_id = %(lane_id)s

-- name: drop_vectors
DELETE FROM fact_embeddings
WHERE workspace_id = %(workspace_id)s AND fact_id IN (
    SELECT fact_id FROM facts
    WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
)

-- name: drop_postings
DELETE FROM fact_postings
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s

-- name: same_elsewhere
SELECT DISTINCT ON (same_key) same_key, group_id FROM facts
WHERE workspace_id = %(workspace_id)s AND same_key = ANY (%(keys)s::bytea[])
    AND document_id <> %(document_id)s AND status <> 'superseded'
ORDER BY same_key, extracted_at, fact_id

-- name: alike_elsewhere
-- LIMIT 1 has vectors looked up last: before tables are analysed, the planner takes those of the whole
-- lane for one row, and begins with them.
SELECT wanted.merge_key, alike.group_id, vectors.embedding
FROM unnest(%(keys)s::bytea[]) AS wanted (merge_key)
CROSS JOIN LATERAL (
    SELECT fact_id, group_id FROM facts
    WHERE workspace_id = %(workspace_id)s AND facts.merge_key = wanted.merge_key
        AND document_id <> %(document_id)s AND status IN ('proposed', 'confirmed')
    LIMIT %(limit)s
) AS alike
CROSS JOIN LATERAL (
    SELECT embedding FROM fact_embeddings
    WHERE workspace_id = %(workspace_id)s AND lane_id = %(lane_id)s AND fact_id = alike.fact_id
    LIMIT 1
) AS vectors

-- name: insert
INSERT INTO facts (
    workspace_id, fact_id, document_id, version, since_version, ordinal, kind, status, content,
    spans, char_start, char_end, confidence,
    extractor, valid_from, valid_to, negated, same_key, merge_key, claim_key, value_key,
    subject_keys, object_keys, comparable, group_id, decided_by, decided_at
) VALUES (
    %(workspace_id)s, %(fact_id)s, %(document_id)s, %(version)s, %(since_version)s, %(ordinal)s,
    %(kind)s,
    %(status)s, %(content)s, %(spans)s, %(char_start)s, %(char_end)s, %(confidence)s,
    %(extractor)s, %(valid_from)s, %(valid_to)s, %(negated)s, %(same_key)s, %(merge_key)s,
    %(claim_key)s, %(value_key)s, %(subject_keys)s, %(object_keys)s, %(comparable)s, %(group_id)s, %(decided_by)s, %(decided_at)s
)

-- name: insert_vector
INSERT INTO fact_embeddings (workspace_id, lane_id, fact_id, embedding)
VALUES (%(workspace_id)s, %(lane_id)s, %(fact_id)s, %(embedding)s)

-- name: insert_posting
INSERT INTO fact_postings (workspace_id, term, document_id, ordinals, frequencies)
VALUES (%(workspace_id)s, %(term)s, %(document_id)s, %(ordinals)s, %(frequencies)s)

-- name: note_set
INSERT INTO fact_sets (
    workspace_id, document_id, version, extractor, facts, total_length, lengths, failure, attempts,
    model_input_tokens, model_output_tokens, model_cost_usd, left_out, decided
) VALUES (
    %(workspace_id)s, %(document_id)s, %(version)s, %(extractor)s, %(facts)s, %(total_length)s,
    %(lengths)s, %(failure)s, (%(failure)s::text IS NOT NULL)::integer,
    %(model_input_tokens)s, %(model_output_tokens)s, %(model_cost_usd)s, %(left_out)s,
    %(decided)s
)
ON CONFLICT (workspace_id, document_id) DO UPDATE SET
    version = excluded.version, extractor = excluded.extractor, facts = excluded.facts,
    total_length = excluded.total_length, lengths = excluded.lengths, failure = excluded.failure,
    attempts = CASE
        WHEN excluded.failure IS NULL THEN 0
        WHEN fact_sets.version = excluded.version AND fact_sets.extractor = excluded.extractor
            THEN fact_sets.attempts + 1
        ELSE 1
    END,
    model_input_tokens = excluded.model_input_tokens,
    model_output_tokens = excluded.model_output_tokens,
    model_cost_usd = excluded.model_cost_usd, left_out = excluded.left_out,
    decided = excluded.decided, extracted_at = now()

-- name: note_failure
-- What was extracted of it before stays.
INSERT INTO fact_sets (workspace_id, document_id, version, extractor, failure, attempts)
SELECT %(workspace_id)s, document_id, %(version)s, %(extractor)s, %(failure)s, 1 FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
ON CONFLICT (workspace_id, document_id) DO UPDATE SET
    attempts = CASE
        WHEN fact_sets.version = excluded.version AND fact_sets.extractor = excluded.extractor
            THEN fact_sets.attempts + 1
        ELSE 1
    END,
    version = excluded.version, extractor = excluded.extractor, failure = excluded.failure,
    extracted_at = now()

-- name: published
SELECT facts.*, documents.title AS document_title, documents.filename
FROM facts
JOIN documents
    ON documents.workspace_id = %(workspace_id)s
    AND documents.document_id = facts.document_id
    AND documents.published_version = facts.version

-- name: facts
-- Of facts that say the same the first that may be seen, in the order of documents.
-- include: published
WHERE facts.workspace_id = %(workspace_id)s AND facts.status = ANY (%(statuses)s)
    AND (cardinality(%(kinds)s::text[]) = 0 OR facts.kind = ANY (%(kinds)s))
    AND (%(document_id)s::uuid IS NULL OR facts.document_id = %(document_id)s)
    AND (facts.document_id, facts.ordinal) > (%(after_document)s, %(after_ordinal)s)
    AND NOT EXISTS (
        SELECT FROM facts AS earlier
        JOIN documents AS shown
            ON shown.workspace_id = %(workspace_id)s
            AND shown.document_id = earlier.document_id
            AND shown.published_version = earlier.version
        WHERE earlier.workspace_id = %(workspace_id)s AND earlier.group_id = facts.group_id
            AND (%(document_id)s::uuid IS NULL OR earlier.document_id = %(document_id)s)
            AND (earlier.document_id, earlier.ordinal) < (facts.document_id, facts.ordinal)
            AND earlier.status = ANY (%(statuses)s)
    )
ORDER BY facts.document_id, facts.ordinal
LIMIT %(limit)s

-- name: linked
-- Which entities the subjects and objects of facts are, by the words in which their documents name
-- them; of several the one that the document names most often. OFFSET 0 has each name looked up by its
-- key, rather than all names of a document for each fact.
SELECT DISTINCT ON (facts.fact_id, side.is_subject)
    facts.fact_id, side.is_subject, named.entity_id
FROM facts
CROSS JOIN LATERAL (
    SELECT true AS is_subject, unnest(facts.subject_keys) AS key
    UNION ALL
    SELECT false, unnest(facts.object_keys)
) AS side
CROSS JOIN LATERAL (
    SELECT ordinal FROM entity_keys
    WHERE workspace_id = %(workspace_id)s AND entity_keys.key = side.key
        AND document_id = facts.document_id
    OFFSET 0
) AS found
JOIN document_entities AS named
    ON named.workspace_id = %(workspace_id)s AND named.document_id = facts.document_id
    AND named.ordinal = found.ordinal AND named.version = facts.version
WHERE facts.workspace_id = %(workspace_id)s AND facts.fact_id = ANY (%(fact_ids)s::uuid[])
ORDER BY facts.fact_id, side.is_subject, named.mentions DESC, named.ordinal

-- name: naming
-- Facts whose subject or object has the words in which its document names an entity.
SELECT facts.fact_id
FROM (
    SELECT named.document_id, named.version, array_agg(entity_keys.key) AS keys
    FROM document_entities AS named
    JOIN entity_keys
        ON entity_keys.workspace_id = %(workspace_id)s
        AND entity_keys.document_id = named.document_id AND entity_keys.ordinal = named.ordinal
    WHERE named.workspace_id = %(workspace_id)s AND named.entity_id = %(entity_id)s
        AND (%(document_id)s::uuid IS NULL OR named.document_id = %(document_id)s)
    GROUP BY named.document_id, named.version
) AS own
JOIN facts
    ON facts.workspace_id = %(workspace_id)s AND facts.document_id = own.document_id
    AND facts.version = own.version
    AND (facts.subject_keys && own.keys OR facts.object_keys && own.keys)

-- name: of_entity
-- Of facts that say the same the first that may be seen, in the order of documents.
WITH about AS MATERIALIZED (
-- include: published
    WHERE facts.workspace_id = %(workspace_id)s AND facts.status = ANY (%(statuses)s)
        AND (cardinality(%(kinds)s::text[]) = 0 OR facts.kind = ANY (%(kinds)s))
        AND facts.fact_id = ANY (ARRAY(
-- include: naming
        ))
)
SELECT * FROM about
WHERE (document_id, ordinal) > (%(after_document)s, %(after_ordinal)s)
    AND NOT EXISTS (
        SELECT FROM about AS earlier
        WHERE earlier.group_id = about.group_id
            AND (earlier.document_id, earlier.ordinal) < (about.document_id, about.ordinal)
    )
ORDER BY document_id, ordinal
LIMIT %(limit)s

-- name: by_ids
SELECT facts.*, documents.title AS document_title, documents.filename
FROM facts
JOIN documents
    ON documents.workspace_id = %(workspace_id)s
    AND documents.document_id = facts.document_id
    AND (documents.published_version = facts.version OR facts.status = 'superseded')
WHERE facts.workspace_id = %(workspace_id)s AND facts.fact_id = ANY (%(fact_ids)s::uuid[])

-- name: of_groups
-- include: published
WHERE facts.workspace_id = %(workspace_id)s AND facts.group_id = ANY (%(groups)s::uuid[])
    AND facts.status <> 'rejected'
ORDER BY facts.group_id, facts.document_id, facts.ordinal

-- name: decide
-- All that say the same in documents that may be seen.
UPDATE facts SET status = %(status)s, decided_by = %(principal)s, decided_at = now()
WHERE workspace_id = %(workspace_id)s AND status <> 'superseded' AND group_id = (
    SELECT group_id FROM facts
    WHERE workspace_id = %(workspace_id)s AND fact_id = %(fact_id)s AND status <> 'superseded'
)

-- name: saying
SELECT DISTINCT document_id FROM facts
WHERE workspace_id = %(workspace_id)s AND status <> 'superseded' AND group_id = (
    SELECT group_id FROM facts
    WHERE workspace_id = %(workspace_id)s AND fact_id = %(fact_id)s AND status <> 'superseded'
)

-- name: nearest
-- Ordering by the inner product of unit vectors; facts and documents say what may be seen.
SELECT facts.fact_id, facts.group_id, -(fact_embeddings.embedding <#> %(vector)s) AS similarity
FROM fact_embeddings
JOIN facts
    ON facts.workspace_id = %(workspace_id)s AND facts.fact_id = fact_embeddings.fact_id
    AND facts.status IN ('proposed', 'confirmed')
JOIN documents
    ON documents.workspace_id = %(workspace_id)s
    AND documents.document_id = facts.document_id
    AND documents.published_version = facts.version
WHERE fact_embeddings.workspace_id = %(workspace_id)s AND fact_embeddings.lane_id = %(lane_id)s
    AND (%(document_id)s::uuid IS NULL OR facts.document_id = %(document_id)s)
ORDER BY fact_embeddings.embedding <#> %(vector)s
LIMIT %(limit)s

-- name: totals
SELECT coalesce(sum(facts), 0)::bigint AS facts, coalesce(sum(total_length), 0)::bigint AS length
FROM fact_sets WHERE workspace_id = %(workspace_id)s

-- name: postings
-- Of documents that may be seen; the lists of a version that is being replaced are left out.
-- OFFSET 0 has the lists of the terms found first, rather than those of every document.
SELECT held.term, held.document_id, held.ordinals, held.frequencies
FROM (
    SELECT term, document_id, ordinals, frequencies FROM fact_postings
    WHERE workspace_id = %(workspace_id)s AND term = ANY (%(terms)s::integer[])
        AND (%(document_id)s::uuid IS NULL OR document_id = %(document_id)s)
    OFFSET 0
) AS held
JOIN documents
    ON documents.workspace_id = %(workspace_id)s AND documents.document_id = held.document_id
JOIN fact_sets
    ON fact_sets.workspace_id = %(workspace_id)s AND fact_sets.document_id = held.document_id
    AND fact_sets.version = documents.published_version

-- name: lengths
SELECT fact_sets.document_id, fact_sets.lengths,
    ARRAY(
        SELECT facts.ordinal FROM facts
        WHERE facts.workspace_id = %(workspace_id)s
            AND facts.document_id = fact_sets.document_id AND facts.version = fact_sets.version
            AND facts.status = 'rejected'
    ) AS rejected
FROM fact_sets
WHERE fact_sets.workspace_id = %(workspace_id)s
    AND fact_sets.document_id = ANY (%(document_ids)s::uuid[])

-- name: by_ordinals
SELECT facts.fact_id, facts.group_id, facts.document_id, facts.ordinal
FROM unnest(%(document_ids)s::uuid[], %(ordinals)s::integer[]) AS wanted (document_id, ordinal)
JOIN documents
    ON documents.workspace_id = %(workspace_id)s
    AND documents.document_id = wanted.document_id
JOIN facts
    ON facts.workspace_id = %(workspace_id)s AND facts.document_id = wanted.document_id
    AND facts.version = documents.published_version AND facts.ordinal = wanted.ordinal

-- name: claimed
-- What documents claim, each of them one thing or several.
SELECT claimed.claim_key
FROM (
    SELECT facts.claim_key, facts.document_id, min(facts.value_key) AS value_key,
        count(DISTINCT facts.value_key) AS values_said,
        bool_and(facts.kind IN ('definition', 'statement')) AS is_said
    FROM facts
    JOIN documents
        ON documents.workspace_id = %(workspace_id)s
        AND documents.document_id = facts.document_id
        AND documents.published_version = facts.version
    WHERE facts.workspace_id = %(workspace_id)s AND facts.comparable
        AND facts.status IN ('proposed', 'confirmed')

-- name: contested
-- What several documents say of one claim, each of them one thing; and what one document defines or
-- states in two ways. Where a document gives several values of a claim, it lists them.
    GROUP BY facts.claim_key, facts.document_id
) AS claimed
GROUP BY claimed.claim_key
HAVING (max(claimed.values_said) = 1 AND count(DISTINCT claimed.value_key) > 1)
    OR (bool_and(claimed.is_said) AND max(claimed.values_said) > 1)
ORDER BY claimed.claim_key
LIMIT %(limit)s

-- name: conflicts
-- include: claimed
        AND (%(after)s::bytea IS NULL OR facts.claim_key > %(after)s)
        AND (
            %(document_id)s::uuid IS NULL
            OR facts.claim_key IN (
                SELECT own.claim_key FROM facts AS own
                WHERE own.workspace_id = %(workspace_id)s
                    AND own.document_id = %(document_id)s AND own.comparable
                    AND own.status IN ('proposed', 'confirmed')
            )
        )
-- include: contested

-- name: contested_claims
-- include: claimed
        AND facts.claim_key = ANY (%(keys)s::bytea[])
-- include: contested

-- name: quoted
-- The facts whose object stands at least in part in one of the places.
SELECT facts.fact_id, facts.document_id, facts.char_start, facts.char_end, facts.claim_key,
    facts.value_key
FROM unnest(%(document_ids)s::uuid[], %(starts)s::integer[], %(ends)s::integer[])
    AS place (document_id, char_start, char_end)
JOIN documents
    ON documents.workspace_id = %(workspace_id)s AND documents.document_id = place.document_id
JOIN facts
    ON facts.workspace_id = %(workspace_id)s AND facts.document_id = place.document_id
    AND facts.version = documents.published_version
    AND facts.comparable AND facts.status IN ('proposed', 'confirmed')
    AND facts.char_start >= place.char_start - %(longest)s::integer
    AND facts.char_start < place.char_end AND facts.char_end > place.char_start
ORDER BY facts.document_id, facts.char_start, facts.ordinal
LIMIT %(limit)s

-- name: claims_of
-- What facts claim and say, as far as they can be held against others.
SELECT facts.fact_id, facts.claim_key, facts.value_key
FROM facts
JOIN documents
    ON documents.workspace_id = %(workspace_id)s
    AND documents.document_id = facts.document_id
    AND documents.published_version = facts.version
WHERE facts.workspace_id = %(workspace_id)s AND facts.fact_id = ANY (%(fact_ids)s::uuid[])
    AND facts.comparable AND facts.status IN ('proposed', 'confirmed')

-- name: of_claims
-- Of each claim one fact for each value: a preferred one, a confirmed one, or the likeliest.
SELECT * FROM (
    SELECT *, row_number() OVER (
        PARTITION BY claim_key
        ORDER BY fact_id = ANY (%(preferred)s::uuid[]) DESC, status = 'confirmed' DESC,
            confidence DESC, document_id, ordinal
    ) AS rank_in_claim
    FROM (
        SELECT DISTINCT ON (claim_key, value_key) * FROM (
-- include: published
            WHERE facts.workspace_id = %(workspace_id)s
                AND facts.claim_key = ANY (%(keys)s::bytea[])
                AND facts.comparable AND facts.status IN ('proposed', 'confirmed')
        ) AS said
        ORDER BY claim_key, value_key, fact_id = ANY (%(preferred)s::uuid[]) DESC,
            status = 'confirmed' DESC, confidence DESC, document_id, ordinal
    ) AS one_of_each
) AS told
WHERE rank_in_claim <= %(values)s
ORDER BY claim_key, rank_in_claim

-- name: versions
-- The facts of the version that was read last, and those it superseded.
SELECT facts.*, documents.title AS document_title, documents.filename
FROM facts
JOIN documents
    ON documents.workspace_id = %(workspace_id)s
    AND documents.document_id = facts.document_id
WHERE facts.workspace_id = %(workspace_id)s AND facts.document_id = %(document_id)s
ORDER BY facts.version, facts.ordinal

-- name: set_of
SELECT version FROM fact_sets
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s

-- name: unread
-- Bytes of the texts that a model is to read; octet_length reads no text.
SELECT coalesce(sum(coalesce(octet_length(given.canonical_text), given.characters)), 0)::bigint
    AS bytes
FROM documents
JOIN document_versions AS given
    ON given.workspace_id = %(workspace_id)s
    AND given.document_id = documents.document_id
    AND given.version = documents.published_version
LEFT JOIN fact_sets
    ON fact_sets.workspace_id = %(workspace_id)s
    AND fact_sets.document_id = documents.document_id
    AND fact_sets.version = documents.published_version
    AND fact_sets.extractor = %(extractor)s
WHERE documents.workspace_id = %(workspace_id)s
    AND fact_sets.document_id IS NULL
    AND (cardinality(%(classes)s::text[]) = 0 OR documents.document_class = ANY (%(classes)s))
