-- name: grants
SELECT subject, collection, role, granted_by, granted_at FROM grants
WHERE workspace_id = %(workspace_id)s ORDER BY subject, collection

-- name: grants_of
SELECT subject, collection, role, granted_by, granted_at FROM grants
WHERE workspace_id = %(workspace_id)s AND subject = ANY (%(subjects)s)

-- name: grant
INSERT INTO grants (workspace_id, subject, collection, role, granted_by)
VALUES (%(workspace_id)s, %(subject)s, %(collection)s, %(role)s, %(principal)s)
ON CONFLICT (workspace_id, subject, collection)
    DO UPDATE SET role = excluded.role, granted_by = excluded.granted_by, granted_at = now()
RETURNING subject, collection, role, granted_by, granted_at

-- name: revoke
DELETE FROM grants
WHERE workspace_id = %(workspace_id)s AND subject = %(subject)s AND collection = %(collection)s

-- name: document_access
SELECT collection, created_by, parent_id, visibility, access FROM documents
WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s

-- name: pass_readers_on
SELECT pass_readers_on_to_rows(%(most)s) AS documents

-- name: change_access
-- An attachment is seen by whoever sees what it is attached to. What lies under a document, and what was
-- told of it, follows by a trigger.
WITH RECURSIVE family AS (
    SELECT document_id FROM documents
    WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
    UNION
    SELECT child.document_id FROM documents AS child
    JOIN family ON child.parent_id = family.document_id
    WHERE child.workspace_id = %(workspace_id)s
)
UPDATE documents SET visibility = %(visibility)s, access = %(access)s::text[]
WHERE workspace_id = %(workspace_id)s AND document_id IN (SELECT document_id FROM family)
