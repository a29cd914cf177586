-- name: insert_pairs
INSERT INTO entity_pairs (workspace_id, document_id, first, second, weight, spans)
SELECT %(workspace_id)s, %(document_id)s, made.*
FROM unnest(
    %(firsts)s::integer[], %(seconds)s::integer[], %(weights)s::real[], %(spans)s::bytea[]
) AS made

-- name: remove_keys
DELETE FROM document_keys
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s

-- name: insert_keys
INSERT INTO document_keys (
    workspace_id, document_id, version, key, role, char_start, char_end
)
SELECT %(workspace_id)s, %(document_id)s, %(version)s, made.*
FROM unnest(
    %(keys)s::bytea[], %(roles)s::smallint[], %(starts)s::integer[], %(ends)s::integer[]
) AS made
ON CONFLICT DO NOTHING

-- name: paired
-- Each pair of an entity, from its side; in documents that may be seen, of their published version.
SELECT mine.entity_id AS source_id, other.entity_id AS target_id, pairs.document_id, pairs.weight,
    pairs.spans, mine.version, other.kind
FROM document_entities AS mine
JOIN documents
    ON documents.workspace_id = %(workspace_id)s AND documents.document_id = mine.document_id
    AND documents.published_version = mine.version
CROSS JOIN LATERAL (
    SELECT entity_pairs.document_id, second AS ordinal, weight, spans FROM entity_pairs
    WHERE workspace_id = %(workspace_id)s AND entity_pairs.document_id = mine.document_id
        AND first = mine.ordinal
    UNION ALL
    SELECT entity_pairs.document_id, first, weight, spans FROM entity_pairs
    WHERE workspace_id = %(workspace_id)s AND entity_pairs.document_id = mine.document_id
        AND second = mine.ordinal
) AS pairs
JOIN document_entities AS other
    ON other.workspace_id = %(workspace_id)s AND other.document_id = pairs.document_id
    AND other.ordinal = pairs.ordinal AND other.entity_id <> mine.entity_id
WHERE mine.workspace_id = %(workspace_id)s AND mine.entity_id = ANY (%(entity_ids)s::uuid[])

-- name: neighbours
SELECT target_id AS entity_id, sum(weight) AS weight
FROM (
-- include: paired
) AS paired
WHERE target_id <> ALL (%(entity_ids)s::uuid[])
    AND (cardinality(%(kinds)s::text[]) = 0 OR kind = ANY (%(kinds)s::text[]))
GROUP BY target_id
ORDER BY sum(weight) DESC, target_id
LIMIT %(limit)s

-- name: pairs_among
SELECT source_id, target_id, sum(weight) AS weight, count(DISTINCT document_id) AS documents
FROM (
-- include: paired
) AS paired
WHERE target_id = ANY (%(entity_ids)s::uuid[]) AND source_id < target_id
GROUP BY source_id, target_id
ORDER BY sum(weight) DESC, source_id, target_id
LIMIT %(limit)s

-- name: pair_places
-- Of each edge the documents that show it most.
SELECT wanted.source_id, wanted.target_id, shown.document_id, shown.version, shown.spans
FROM unnest(%(sources)s::uuid[], %(targets)s::uuid[]) AS wanted (source_id, target_id)
CROSS JOIN LATERAL (
    SELECT mine.document_id, mine.version, pairs.spans
    FROM document_entities AS mine
    JOIN documents
        ON documents.workspace_id = %(workspace_id)s
        AND documents.document_id = mine.document_id
        AND documents.published_version = mine.version
    JOIN document_entities AS other
        ON other.workspace_id = %(workspace_id)s AND other.document_id = mine.document_id
        AND other.entity_id = wanted.target_id
    JOIN entity_pairs AS pairs
        ON pairs.workspace_id = %(workspace_id)s AND pairs.document_id = mine.document_id
        AND pairs.first = least(mine.ordinal, other.ordinal)
        AND pairs.second = greatest(mine.ordinal, other.ordinal)
    WHERE mine.workspace_id = %(workspace_id)s AND mine.entity_id = wanted.source_id
    ORDER BY pairs.weight DESC, mine.document_id
    LIMIT %(limit)s
) AS shown

-- name: named_most
-- What a document names, most mentioned first.
SELECT named.entity_id, sum(named.mentions)::bigint AS mentions,
    (array_agg(named.spans ORDER BY named.ordinal))[1] AS spans, named.version
FROM document_entities AS named
JOIN documents
    ON documents.workspace_id = %(workspace_id)s AND documents.document_id = named.document_id
    AND documents.published_version = named.version
WHERE named.workspace_id = %(workspace_id)s AND named.document_id = %(document_id)s
    AND named.kind = ANY (%(kinds)s::text[])
GROUP BY named.entity_id, named.version
ORDER BY 2 DESC, named.entity_id
LIMIT %(limit)s

-- name: keyed
-- What a document has a key in common with, in roles that fit. Of a key that many have, some.
SELECT mine.role AS own_role, theirs.role AS other_role, theirs.document_id AS other_id,
    mine.char_start, mine.char_end, mine.version,
    theirs.char_start AS other_start, theirs.char_end AS other_end,
    theirs.version AS other_version
FROM document_keys AS mine
JOIN documents AS own
    ON own.workspace_id = %(workspace_id)s AND own.document_id = mine.document_id
    AND own.published_version = mine.version
CROSS JOIN LATERAL (
    SELECT keys.role, keys.document_id, keys.char_start, keys.char_end, keys.version
    FROM document_keys AS keys
    WHERE keys.workspace_id = %(workspace_id)s AND keys.key = mine.key
        AND keys.document_id <> mine.document_id
        AND keys.role = ANY (
            CASE mine.role
                WHEN 0 THEN '{1,3}'::smallint[]
                WHEN 2 THEN '{2}'::smallint[]
                ELSE '{0}'::smallint[]
            END
        )
    LIMIT %(of_a_key)s
) AS theirs
JOIN documents AS others
    ON others.workspace_id = %(workspace_id)s AND others.document_id = theirs.document_id
    AND others.published_version = theirs.version
WHERE mine.workspace_id = %(workspace_id)s AND mine.document_id = %(document_id)s
ORDER BY theirs.document_id, mine.role, mine.char_start

-- name: sketches
SELECT document_id, array_agg(key) AS keys
FROM document_keys
WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(document_ids)s::uuid[])
    AND role = 2
GROUP BY document_id

-- name: family
-- What a document is attached to, and what is attached to it.
SELECT documents.document_id, documents.parent_id
FROM documents
WHERE workspace_id = %(workspace_id)s AND published_version IS NOT NULL
    AND (
        document_id = (
            SELECT parent_id FROM documents
            WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
        )
        OR parent_id = %(document_id)s
    )
ORDER BY document_id
LIMIT %(limit)s

-- name: sharing
-- Documents that name the same entities; what fewer name tells more (Adamic and Adar, 2003).
SELECT others.document_id, sum(1 / ln(greatest(own.documents, 2))) AS weight,
    (array_agg(own.entity_id ORDER BY own.documents, own.entity_id))[1:3] AS entity_ids
FROM (
    SELECT mine.entity_id, (
        SELECT count(*) FROM (
            SELECT FROM document_entities AS counted
            WHERE counted.workspace_id = %(workspace_id)s
                AND counted.entity_id = mine.entity_id
            LIMIT %(common)s
        ) AS those
    ) AS documents
    FROM document_entities AS mine
    JOIN documents
        ON documents.workspace_id = %(workspace_id)s
        AND documents.document_id = mine.document_id
        AND documents.published_version = mine.version
    WHERE mine.workspace_id = %(workspace_id)s AND mine.document_id = %(document_id)s
        AND mine.kind = ANY (%(kinds)s::text[])
    GROUP BY mine.entity_id
) AS own
JOIN document_entities AS others
    ON others.workspace_id = %(workspace_id)s AND others.entity_id = own.entity_id
    AND others.document_id <> %(document_id)s
JOIN documents AS shown
    ON shown.workspace_id = %(workspace_id)s AND shown.document_id = others.document_id
    AND shown.published_version = others.version
WHERE own.documents < %(common)s
GROUP BY others.document_id
ORDER BY weight DESC, others.document_id
LIMIT %(limit)s

-- name: mention_places
-- Where documents name entities first.
SELECT named.document_id, named.entity_id, named.version, named.spans
FROM unnest(%(document_ids)s::uuid[], %(entity_ids)s::uuid[]) AS wanted (document_id, entity_id)
JOIN document_entities AS named
    ON named.workspace_id = %(workspace_id)s AND named.document_id = wanted.document_id
    AND named.entity_id = wanted.entity_id
ORDER BY named.ordinal

-- name: titles
SELECT document_id, title, published_version AS version
FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id = ANY (%(document_ids)s::uuid[])
    AND published_version IS NOT NULL
