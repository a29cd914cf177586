-- name: passage
SELECT chunks.*, documents.title AS document_title, documents.filename, documents.collection,
    documents.source_type, documents.language, documents.parent_id,
    parents.title AS parent_title
FROM chunks
JOIN documents USING (workspace_id, document_id)
LEFT JOIN documents AS parents
    ON parents.workspace_id = %(workspace_id)s AND parents.document_id = documents.parent_id

-- name: passages
-- include: passage
WHERE chunks.workspace_id = %(workspace_id)s AND chunks.chunk_no = ANY (%(numbers)s::integer[])

-- name: documents_of
SELECT chunks.chunk_no, chunks.document_id, documents.filename, documents.title,
    documents.metadata ->> 'document_date' AS document_date
FROM chunks
JOIN documents USING (workspace_id, document_id)
WHERE chunks.workspace_id = %(workspace_id)s AND chunks.chunk_no = ANY (%(numbers)s::integer[])

-- name: tables
-- Without a text for what is none: a condition on the kind would lead the planner, which expects next
-- to no tables, past the numbers.
SELECT chunks.chunk_no, CASE WHEN chunks.kind = 'table' THEN chunks.text END AS text,
    documents.language
FROM chunks
JOIN documents USING (workspace_id, document_id)
WHERE chunks.workspace_id = %(workspace_id)s AND chunks.chunk_no = ANY (%(numbers)s::integer[])

-- name: neighbours
-- include: passage
WHERE chunks.workspace_id = %(workspace_id)s AND chunks.document_id = %(document_id)s
    AND chunks.version = %(version)s
    AND chunks.ordinal BETWEEN %(ordinal)s::integer - %(window)s::integer
        AND %(ordinal)s::integer + %(window)s::integer
ORDER BY chunks.ordinal

-- name: passages_in_order
-- include: passage
WHERE chunks.workspace_id = %(workspace_id)s AND chunks.document_id = %(document_id)s
ORDER BY chunks.ordinal
LIMIT %(limit)s

-- name: passages_after
-- include: passage
WHERE chunks.workspace_id = %(workspace_id)s AND chunks.document_id = %(document_id)s
    AND chunks.ordinal > %(after)s::integer
ORDER BY chunks.ordinal
LIMIT %(limit)s

-- name: chunks_at
-- The first passage that has each place; passages overlap.
SELECT (
    SELECT ordinal FROM chunks
    WHERE chunks.workspace_id = %(workspace_id)s AND chunks.document_id = %(document_id)s
        AND chunks.version = %(version)s
        AND chunks.char_start <= place.char_start AND chunks.char_end > place.char_start
    ORDER BY ordinal
    LIMIT 1
) AS ordinal
FROM unnest(%(starts)s::integer[]) WITH ORDINALITY AS place (char_start, number)
ORDER BY place.number

-- name: numbers
SELECT chunk_no FROM chunks
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
ORDER BY ordinal

-- name: neighbourhoods
-- One row for each passage whose version is published and visible: the chunks around it and one
-- more, which says how the text goes on, and the text from the first of them to the last. Of an
-- encrypted text the pieces of 4096 characters over it, and of its chunks the whole.
SELECT wanted.chunk_no, wanted.document_id, wanted.version, near.chunks, near.char_start,
    near.char_end,
    substr(versions.canonical_text, near.char_start + 1, near.char_end - near.char_start) AS text,
    CASE WHEN versions.canonical_text IS NULL THEN ARRAY (
        SELECT sealed FROM sealed_texts
        WHERE sealed_texts.workspace_id = %(workspace_id)s
            AND sealed_texts.document_id = wanted.document_id
            AND sealed_texts.version = wanted.version
            AND piece >= near.char_start / 4096 AND piece < (near.char_end + 4095) / 4096
        ORDER BY piece
    ) END AS pieces
FROM unnest(
    %(numbers)s::integer[], %(document_ids)s::uuid[], %(versions)s::integer[],
    %(ordinals)s::integer[]
) AS wanted (chunk_no, document_id, version, ordinal)
JOIN documents ON documents.workspace_id = %(workspace_id)s
    AND documents.document_id = wanted.document_id
JOIN document_versions AS versions ON versions.workspace_id = %(workspace_id)s
    AND versions.document_id = wanted.document_id AND versions.version = wanted.version
CROSS JOIN LATERAL (
    SELECT min(chunks.char_start) AS char_start, max(chunks.char_end) AS char_end,
        jsonb_agg(
            jsonb_build_object(
                'ordinal', ordinal, 'heading_path', heading_path, 'char_start', chunks.char_start,
                'char_end', chunks.char_end, 'header', CASE
                    WHEN versions.canonical_text IS NULL THEN chunks.text
                    ELSE left(chunks.text, body_offset)
                END, 'body_offset', body_offset, 'chunk_no', chunk_no,
                'spans', spans, 'confidence', confidence, 'suspicious', suspicious
            ) ORDER BY ordinal
        ) AS chunks
    FROM chunks
    WHERE chunks.workspace_id = %(workspace_id)s AND chunks.document_id = wanted.document_id
        AND chunks.version = wanted.version
        AND chunks.ordinal BETWEEN wanted.ordinal - %(window)s::integer
            AND wanted.ordinal + %(window)s::integer + 1
) AS near
WHERE near.chunks IS NOT NULL

-- name: passages_at
-- The passages in which places of published texts begin.
-- include: passage
JOIN unnest(%(document_ids)s::uuid[], %(starts)s::integer[]) AS place (whose, begins)
    ON chunks.document_id = place.whose
    AND chunks.char_start <= place.begins AND chunks.char_end > place.begins
WHERE chunks.workspace_id = %(workspace_id)s
