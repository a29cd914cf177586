-- name: rows
-- Documents that have a vector, with whether they meet the conditions; those that do come first, so
-- that they are in it where there are more than a map has. Through the documents, whose policy
-- knows who may see them.
SELECT documents.document_id, documents.title, documents.keywords, documents.collection,
    documents.document_class, documents.status, documents.tags, documents.language,
    embedded.first_chunk, ({conditions}) AS chosen
FROM documents
JOIN document_embeddings AS embedded
    ON embedded.workspace_id = documents.workspace_id
    AND embedded.document_id = documents.document_id
WHERE documents.workspace_id = %(workspace_id)s
    AND embedded.workspace_id = %(workspace_id)s AND embedded.lane_id = %(lane_id)s
ORDER BY chosen DESC, embedded.first_chunk DESC
LIMIT %(most)s

-- name: counts
SELECT count(*) AS total, count(embedded.first_chunk) AS embedded
FROM documents
LEFT JOIN document_embeddings AS embedded
    ON embedded.workspace_id = %(workspace_id)s AND embedded.lane_id = %(lane_id)s
    AND embedded.document_id = documents.document_id
WHERE documents.workspace_id = %(workspace_id)s AND {conditions}

-- name: vectors
-- In the form of halfvec's wire protocol, one after the other, in the order of their numbers.
SELECT string_agg(int4send(embedded.first_chunk), ''::bytea ORDER BY embedded.first_chunk)
        AS numbers,
    string_agg(halfvec_send(embedded.embedding), ''::bytea ORDER BY embedded.first_chunk)
        AS vectors
FROM documents
JOIN document_embeddings AS embedded
    ON embedded.workspace_id = documents.workspace_id
    AND embedded.document_id = documents.document_id
WHERE documents.workspace_id = %(workspace_id)s
    AND embedded.workspace_id = %(workspace_id)s AND embedded.lane_id = %(lane_id)s
    AND embedded.first_chunk = ANY (%(numbers)s::integer[])
