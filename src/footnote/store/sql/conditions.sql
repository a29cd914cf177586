-- name: admitted
-- Which documents are searched. Row-level security leaves out those the principal may not see.
documents.workspace_id = %(workspace_id)s AND NOT isempty(documents.chunks)
    AND (
        %(collections)s::text[] IS NULL
        OR documents.collection = ANY (%(collections)s::text[])
    )
    AND (
        %(document_ids)s::uuid[] IS NULL
        OR documents.document_id = ANY (%(document_ids)s::uuid[])
    )
    AND (
        %(source_types)s::text[] IS NULL
        OR documents.source_type = ANY (%(source_types)s::text[])
    )
    AND {condition}

-- name: author
-- Files name an author, messages a sender.
COALESCE(
    NULLIF(btrim(documents.metadata ->> 'author'), ''),
    NULLIF(btrim(documents.metadata ->> 'from'), '')
)

-- name: sender
COALESCE(
    NULLIF(btrim(documents.metadata ->> 'from'), ''),
    NULLIF(btrim(documents.metadata ->> 'sender'), '')
)

-- name: missing
-- Nothing is unknown: what a document lacks compares as false, and its opposite as true.
COALESCE({comparison}, false)

-- name: exists
({presence}) = {value}::boolean

-- name: has_value
{column} IS NOT NULL

-- name: has_items
cardinality({column}) > 0

-- name: text_eq
{column} = {value}::text

-- name: text_in
{column} = ANY ({value}::text[])

-- name: text_contains
-- Not LIKE: no character of the value means anything but itself.
strpos(folded({column}), folded({value}::text)) > 0

-- name: person_eq
-- Taking a person apart is dear, and whoever lacks the text altogether need not be.
strpos(folded({column}), folded({value}::text)) > 0
    AND folded({value}::text) = ANY (person_names({column}))

-- name: person_in
EXISTS (
    SELECT FROM unnest({value}::text[]) AS wanted (name)
    WHERE strpos(folded({column}), folded(wanted.name)) > 0
        AND folded(wanted.name) = ANY (person_names({column}))
)

-- name: person_contains
strpos(folded({column}), folded({value}::text)) > 0

-- name: tags_eq
{value}::text = ANY ({column})

-- name: tags_contains
{value}::text = ANY ({column})

-- name: tags_in
{column} && {value}::text[]

-- name: uuid_eq
{column} = {value}::uuid

-- name: uuid_in
{column} = ANY ({value}::uuid[])

-- name: number_order
{column} {operator} {value}::numeric

-- name: number_in
{column} = ANY ({value}::numeric[])

-- name: moment_order
{column} {operator} {value}::timestamptz

-- name: day_begins
(({value}::date)::timestamp AT TIME ZONE 'UTC')

-- name: day_ends
(({value}::date + 1)::timestamp AT TIME ZONE 'UTC')

-- name: some_date
-- Comparisons that stand together are about one and the same date.
EXISTS (SELECT FROM unnest(documents.dates) AS mentioned (day) WHERE {comparisons})

-- name: day
mentioned.day

-- name: date_order
{column} {operator} {value}::text COLLATE "C"

-- name: date_in
{column} = ANY ({value}::text[])

-- name: metadata_value
documents.metadata -> {key}::text

-- name: metadata_in
-- JSON values are equal when their types are, and numbers by value.
({column}) = ANY ({value}::jsonb[])

-- name: metadata_number_order
CASE WHEN jsonb_typeof({column}) = 'number'
    THEN ({column})::numeric {operator} {value}::numeric END

-- name: metadata_text_order
CASE WHEN jsonb_typeof({column}) = 'string'
    THEN (({column}) #>> '{{}}') COLLATE "C" {operator} {value}::text END

-- name: metadata_contains
CASE WHEN jsonb_typeof({column}) = 'string'
    THEN strpos(folded(({column}) #>> '{{}}'), folded({value}::text)) > 0 END
