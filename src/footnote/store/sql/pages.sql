-- name: shown_version
-- What is cited is the published version; before there is one, what was received can be shown.
SELECT given.version, given.filename, given.media_type, given.blob_key,
    length(given.canonical_text) AS characters
FROM documents JOIN document_versions AS given USING (workspace_id, document_id)
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND given.version = coalesce(published_version, documents.version)

-- name: spans
-- A span with what stands around it. Through the documents, whose policy knows who may see them.
SELECT
    substr(canonical_text, char_start + 1, char_end - char_start) AS quoted,
    substr(
        canonical_text, greatest(char_start - %(around)s, 0) + 1, least(char_start, %(around)s)
    ) AS before,
    substr(canonical_text, char_end + 1, %(around)s) AS after
FROM unnest(%(starts)s::integer[], %(ends)s::integer[])
    WITH ORDINALITY AS wanted (char_start, char_end, place)
CROSS JOIN documents JOIN document_versions AS given USING (workspace_id, document_id)
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    AND given.version = %(version)s
ORDER BY place
