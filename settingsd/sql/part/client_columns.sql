-- A client application without its secrets, of {from}.
-- args: from
{from}.id,
{from}.name,
coalesce({from}.oauth, '{}')::text as settings,
coalesce({from}.updated_at, {from}.created_at) as updated_at,
coalesce({from}.secret_at, 0) as secret_at,
coalesce({from}.previous_until, 0) as previous_until
