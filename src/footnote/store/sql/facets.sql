-- name: commonest
-- Each document counts once for each of its values; ties go by the value.
SELECT found.value, count(*) AS documents
FROM documents CROSS JOIN LATERAL {values} AS found (value)
WHERE {documents} AND found.value IS NOT NULL
GROUP BY found.value
ORDER BY documents DESC, found.value COLLATE "C"
LIMIT %(most)s

-- name: single
(SELECT {column}::text)

-- name: person
(SELECT person_label({column}))

-- name: several
unnest({column})

-- name: metadata
(SELECT ({column}) #>> '{{}}')

-- name: with_kinds
{documents}
    AND EXISTS (
        SELECT FROM chunks
        WHERE chunks.workspace_id = %(workspace_id)s
            AND chunks.kind = ANY (%(kinds)s::text[])
            AND chunks.chunk_no >= lower(documents.chunks)
            AND chunks.chunk_no < upper(documents.chunks)
    )
