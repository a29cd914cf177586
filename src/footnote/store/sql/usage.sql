-- name: add
-- A job acts for whoever handed the document in.
INSERT INTO usage AS known (
    workspace_id, day, kind, model, principal, conversation_id, document_id,
    requests, input_tokens, output_tokens, units, cost_usd, unpriced_requests
) VALUES (
    %(workspace_id)s, (now() AT TIME ZONE 'UTC')::date, %(kind)s, %(model)s,
    CASE WHEN %(user)s = '*' THEN coalesce(
        (
            SELECT created_by FROM documents
            WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s
        ), '*'
    ) ELSE %(user)s END,
    %(conversation_id)s, %(document_id)s, %(requests)s, %(input_tokens)s, %(output_tokens)s,
    %(units)s, %(cost_usd)s, %(unpriced_requests)s
)
ON CONFLICT (workspace_id, day, kind, model, principal, conversation_id, document_id)
DO UPDATE SET
    requests = known.requests + EXCLUDED.requests,
    input_tokens = known.input_tokens + EXCLUDED.input_tokens,
    output_tokens = known.output_tokens + EXCLUDED.output_tokens,
    units = known.units + EXCLUDED.units,
    cost_usd = known.cost_usd + EXCLUDED.cost_usd,
    unpriced_requests = known.unpriced_requests + EXCLUDED.unpriced_requests

-- name: by_day
SELECT day, kind, model, sum(requests)::bigint AS requests,
    sum(input_tokens)::bigint AS input_tokens, sum(output_tokens)::bigint AS output_tokens,
    sum(units) AS units, sum(cost_usd)::float8 AS cost_usd,
    sum(unpriced_requests)::bigint AS unpriced_requests
FROM usage
WHERE workspace_id = %(workspace_id)s AND day >= %(first_day)s AND day <= %(last_day)s
    AND (%(user)s::text IS NULL OR usage.principal = %(user)s)
    AND (%(conversation)s::uuid IS NULL OR conversation_id = %(conversation)s)
    AND (%(document)s::uuid IS NULL OR document_id = %(document)s)
GROUP BY day, kind, model
ORDER BY day DESC, kind, model

-- name: by_person
SELECT day, usage.principal, sum(requests)::bigint AS requests,
    sum(input_tokens)::bigint AS input_tokens, sum(output_tokens)::bigint AS output_tokens,
    sum(cost_usd)::float8 AS cost_usd, sum(unpriced_requests)::bigint AS unpriced_requests
FROM usage
WHERE workspace_id = %(workspace_id)s AND day >= %(first_day)s AND day <= %(last_day)s
GROUP BY day, usage.principal
ORDER BY day DESC, cost_usd DESC, requests DESC, usage.principal

-- name: budgets
SELECT measure, period, most, warn_share, coalesce(used.amount, 0)::float8 AS used
FROM budgets
CROSS JOIN LATERAL (
    SELECT sum(
        CASE measure
            WHEN 'cost_usd' THEN cost_usd
            WHEN 'tokens' THEN input_tokens + output_tokens
            WHEN 'documents' THEN CASE WHEN kind = 'ingestion' THEN requests END
            WHEN 'chunks' THEN CASE WHEN kind = 'ingestion' THEN units END
            ELSE CASE WHEN kind = 'storage' THEN units END
        END
    ) AS amount
    FROM usage
    WHERE usage.workspace_id = %(workspace_id)s AND day >= CASE period
        WHEN 'day' THEN (now() AT TIME ZONE 'UTC')::date
        WHEN 'month' THEN date_trunc('month', now() AT TIME ZONE 'UTC')::date
        ELSE '-infinity'
    END
) AS used
WHERE budgets.workspace_id = %(workspace_id)s
ORDER BY measure, period

-- name: set_budget
INSERT INTO budgets (workspace_id, measure, period, most, warn_share)
VALUES (%(workspace_id)s, %(measure)s, %(period)s, %(most)s, %(warn_share)s)
ON CONFLICT (workspace_id, measure, period)
DO UPDATE SET most = EXCLUDED.most, warn_share = EXCLUDED.warn_share

-- name: remove_budget
DELETE FROM budgets
WHERE workspace_id = %(workspace_id)s AND measure = %(measure)s AND period = %(period)s
