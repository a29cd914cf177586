-- name: called_so
-- Entities that visible documents call by a name, and how many do; so many documents of a name.
SELECT wanted.key, found.entity_id, count(DISTINCT found.document_id) AS documents
FROM unnest(%(keys)s::bytea[]) AS wanted (key)
CROSS JOIN LATERAL (
    SELECT named.entity_id, named.document_id
    FROM entity_keys
    JOIN document_entities AS named
        ON named.workspace_id = %(workspace_id)s
        AND named.document_id = entity_keys.document_id AND named.ordinal = entity_keys.ordinal
    JOIN documents
        ON documents.workspace_id = %(workspace_id)s
        AND documents.document_id = named.document_id
        AND documents.published_version = named.version
    WHERE entity_keys.workspace_id = %(workspace_id)s AND entity_keys.key = wanted.key
    LIMIT %(limit)s
) AS found
GROUP BY wanted.key, found.entity_id

-- name: beside
-- What stands in a sentence with these entities, strongest first.
SELECT wanted.entity_id, other.entity_id AS beside, sum(together.weight) AS weight
FROM unnest(%(entity_ids)s::uuid[]) AS wanted (entity_id)
CROSS JOIN LATERAL (
    SELECT named.document_id, named.ordinal
    FROM document_entities AS named
    JOIN documents
        ON documents.workspace_id = %(workspace_id)s
        AND documents.document_id = named.document_id
        AND documents.published_version = named.version
    WHERE named.workspace_id = %(workspace_id)s AND named.entity_id = wanted.entity_id
    LIMIT %(documents)s
) AS named
CROSS JOIN LATERAL (
    (
        SELECT second AS ordinal, weight FROM entity_pairs
        WHERE workspace_id = %(workspace_id)s AND document_id = named.document_id
            AND first = named.ordinal
        ORDER BY weight DESC, second
        LIMIT %(pairs)s
    )
    UNION ALL
    (
        SELECT first, weight FROM entity_pairs
        WHERE workspace_id = %(workspace_id)s AND document_id = named.document_id
            AND second = named.ordinal
        ORDER BY weight DESC, first
        LIMIT %(pairs)s
    )
) AS together
JOIN document_entities AS other
    ON other.workspace_id = %(workspace_id)s AND other.document_id = named.document_id
    AND other.ordinal = together.ordinal
WHERE other.entity_id <> wanted.entity_id
GROUP BY wanted.entity_id, other.entity_id
ORDER BY weight DESC, wanted.entity_id, beside
LIMIT %(limit)s

-- name: chunks_naming
-- The chunks in which entities are named: of each so many documents, of each of those so many
-- places. Places are pairs of int32, little-endian.
SELECT wanted.entity_id, named.document_id, chunk.chunk_no, count(*) AS mentions
FROM unnest(%(entity_ids)s::uuid[]) AS wanted (entity_id)
CROSS JOIN LATERAL (
    SELECT document_entities.document_id, document_entities.version, document_entities.spans
    FROM document_entities
    JOIN documents
        ON documents.workspace_id = %(workspace_id)s
        AND documents.document_id = document_entities.document_id
        AND documents.published_version = document_entities.version
    WHERE document_entities.workspace_id = %(workspace_id)s
        AND document_entities.entity_id = wanted.entity_id
    LIMIT %(documents)s
) AS named
CROSS JOIN LATERAL (
    SELECT get_byte(named.spans, 8 * number) + (get_byte(named.spans, 8 * number + 1) << 8)
        + (get_byte(named.spans, 8 * number + 2) << 16)
        + (get_byte(named.spans, 8 * number + 3) << 24) AS char_start
    FROM generate_series(0, least(octet_length(named.spans) / 8, %(places)s) - 1) AS number
) AS place
CROSS JOIN LATERAL (
    SELECT chunk_no FROM chunks
    WHERE chunks.workspace_id = %(workspace_id)s AND chunks.document_id = named.document_id
        AND chunks.version = named.version
        AND chunks.char_start <= place.char_start AND chunks.char_end > place.char_start
    ORDER BY chunks.ordinal
    LIMIT 1
) AS chunk
GROUP BY wanted.entity_id, named.document_id, chunk.chunk_no
