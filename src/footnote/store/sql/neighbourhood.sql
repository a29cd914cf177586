-- name: neighbourhoods
-- One row for each passage whose version is published and visible: the chunks around it and one
-- more, which says how the text goes on, and the text from the first of them to the last.
SELECT wanted.chunk_no, near.chunks, near.char_start,
    substr(versions.canonical_text, near.char_start + 1, near.char_end - near.char_start) AS text
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
                'char_end', chunks.char_end, 'header', left(chunks.text, body_offset),
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
