-- Everything that names a principal, a page at a time. `key` tells the rows of a statement apart
-- and orders them: no transaction is held while a page is sent, and a page is never sent twice.

-- name: profile
SELECT * FROM (
    SELECT user_id::text COLLATE "C" AS key, user_id, user_name, external_id, active, attributes,
        created_at, updated_at
    FROM users
    WHERE workspace_id = %(workspace_id)s AND lower(user_name) = lower(%(who)s)
) AS found
WHERE key > %(after)s ORDER BY key LIMIT %(limit)s

-- name: groups
SELECT * FROM (
    SELECT g.group_id::text COLLATE "C" AS key, g.group_id, g.display_name, g.external_id
    FROM users AS u
    JOIN memberships AS m USING (workspace_id, user_id)
    JOIN user_groups AS g USING (workspace_id, group_id)
    WHERE u.workspace_id = %(workspace_id)s AND lower(u.user_name) = lower(%(who)s)
) AS found
WHERE key > %(after)s ORDER BY key LIMIT %(limit)s

-- name: grants
-- What the person was granted, by name or by a group, and what the person granted to others.
SELECT * FROM (
    SELECT (subject || '/' || collection) COLLATE "C" AS key, subject, nullif(collection, '')
        AS collection, role, granted_by, granted_at
    FROM grants
    WHERE workspace_id = %(workspace_id)s AND (
        subject = %(who)s OR granted_by = %(who)s OR subject IN (
            SELECT 'group:' || g.display_name FROM users AS u
            JOIN memberships AS m USING (workspace_id, user_id)
            JOIN user_groups AS g USING (workspace_id, group_id)
            WHERE u.workspace_id = %(workspace_id)s AND lower(u.user_name) = lower(%(who)s)
        )
    )
) AS found
WHERE key > %(after)s ORDER BY key LIMIT %(limit)s

-- name: keys
-- Without their hashes, by which a secret could be confirmed.
SELECT * FROM (
    SELECT credential_id COLLATE "C" AS key, credential_id AS key_id, name, principal, groups,
        rights, collections, created_at, created_by, expires_at, last_used_at, revoked_at,
        replaced_by
    FROM api_keys
    WHERE workspace_id = %(workspace_id)s AND (principal = %(who)s OR created_by = %(who)s)
) AS found
WHERE key > %(after)s ORDER BY key LIMIT %(limit)s

-- name: sessions
SELECT * FROM (
    SELECT credential_id COLLATE "C" AS key, credential_id AS session_id, principal, groups, role,
        issuer, subject, created_at, last_used_at, expires_at
    FROM sessions
    WHERE workspace_id = %(workspace_id)s AND principal = %(who)s
) AS found
WHERE key > %(after)s ORDER BY key LIMIT %(limit)s

-- name: share_links
SELECT * FROM (
    SELECT credential_id COLLATE "C" AS key, credential_id AS link_id, collection, conversation_id,
        owner, owner_groups, owner_role, owner_collections, created_at, expires_at, revoked_at,
        opened_at
    FROM share_links
    WHERE workspace_id = %(workspace_id)s AND owner = %(who)s
) AS found
WHERE key > %(after)s ORDER BY key LIMIT %(limit)s

-- name: pushes
SELECT * FROM (
    SELECT ingest_id::text COLLATE "C" AS key, ingest_id, url, request, state, document_id,
        actor_groups, actor_role, actor_collections, actor_credential, created_at, updated_at
    FROM ingest_requests
    WHERE workspace_id = %(workspace_id)s AND principal = %(who)s
) AS found
WHERE key > %(after)s ORDER BY key LIMIT %(limit)s

-- name: idempotency_keys
SELECT * FROM (
    SELECT i.key COLLATE "C" AS key, i.key AS idempotency_key, document_id, expires_at
    FROM idempotency_keys AS i
    WHERE workspace_id = %(workspace_id)s AND principal = %(who)s
) AS found
WHERE key > %(after)s ORDER BY key LIMIT %(limit)s

-- name: settings
-- Settings and rules of the workspace that the person set.
SELECT * FROM (
    SELECT ('setting/' || change_no) COLLATE "C" AS key, 'setting' AS kind, name, NULL AS collection,
        value, changed_at
    FROM setting_changes
    WHERE workspace_id = %(workspace_id)s AND changed_by = %(who)s
    UNION ALL
    SELECT ('retention/' || kind || '/' || collection) COLLATE "C", 'retention', kind,
        nullif(collection, ''), to_jsonb(days), set_at
    FROM retention_rules
    WHERE workspace_id = %(workspace_id)s AND set_by = %(who)s
) AS found
WHERE key > %(after)s ORDER BY key LIMIT %(limit)s

-- name: webhooks
SELECT * FROM (
    SELECT endpoint_id::text COLLATE "C" AS key, endpoint_id, url, kinds, access, created_at
    FROM webhook_endpoints
    WHERE workspace_id = %(workspace_id)s AND %(who)s = ANY (access)
) AS found
WHERE key > %(after)s ORDER BY key LIMIT %(limit)s

-- name: sources
SELECT * FROM (
    SELECT source_id::text COLLATE "C" AS key, source_id, place, collection, state,
        actor_groups, actor_role, actor_collections, actor_credential, added_at
    FROM workspace_sources
    WHERE workspace_id = %(workspace_id)s AND added_by = %(who)s
) AS found
WHERE key > %(after)s ORDER BY key LIMIT %(limit)s

-- name: usage
SELECT * FROM (
    SELECT concat_ws('/', day, kind, model, conversation_id, document_id) COLLATE "C" AS key, day,
        kind, model, conversation_id, document_id, requests, input_tokens, output_tokens, units,
        cost_usd::float8 AS cost_usd
    FROM usage
    WHERE workspace_id = %(workspace_id)s AND principal = %(who)s
) AS found
WHERE key > %(after)s ORDER BY key LIMIT %(limit)s

-- name: evaluations
-- Runs that the person kept, without their questions, which are those of a file.
SELECT * FROM (
    SELECT run_id::text COLLATE "C" AS key, run_id, golden_name, setup, k, questions, figures,
        kept_at
    FROM evaluation_runs
    WHERE workspace_id = %(workspace_id)s AND kept_by = %(who)s
) AS found
WHERE key > %(after)s ORDER BY key LIMIT %(limit)s

-- name: started_evaluations
-- What the person had a worker ask, without the questions, which are those of a file.
SELECT * FROM (
    SELECT run_id::text COLLATE "C" AS key, run_id, golden_name, plan, k, questions, asked,
        cost_usd, state, starter_groups, starter_role, starter_collections, started_at, ended_at
    FROM started_evaluations
    WHERE workspace_id = %(workspace_id)s AND started_by = %(who)s
) AS found
WHERE key > %(after)s ORDER BY key LIMIT %(limit)s

-- name: conversation_ids
SELECT * FROM (
    SELECT conversation_id::text COLLATE "C" AS key, conversation_id
    FROM conversations
    WHERE workspace_id = %(workspace_id)s AND principal = %(who)s
) AS found
WHERE key > %(after)s ORDER BY key LIMIT %(limit)s

-- name: documents
-- What the person added, and what was shared with the person by name.
SELECT * FROM (
    SELECT document_id::text COLLATE "C" AS key, created_by = %(who)s AS added, documents.*
    FROM documents
    WHERE workspace_id = %(workspace_id)s AND (created_by = %(who)s OR %(who)s = ANY (access))
) AS found
WHERE key > %(after)s ORDER BY key LIMIT %(limit)s
