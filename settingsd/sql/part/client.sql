-- The registration of the client application {from}, without secrets.
-- args: from
-- row: id uuid, name text, settings text, updated_at int8, secret_at int8, previous_until int8, etag text
{from}.id,
{from}.name,
coalesce({from}.oauth, '{}')::text as settings,
coalesce({from}.updated_at, {from}.created_at) as updated_at,
coalesce({from}.secret_at, 0) as secret_at,
coalesce({from}.previous_until, 0) as previous_until,
-- include: row_etag(from = {from})
as etag
