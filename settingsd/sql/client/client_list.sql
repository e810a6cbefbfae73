-- Returns a project's client applications, at most 1,000.
-- class: read
-- in: project uuid
-- rows: many
-- row: struct client
select
    id, name, coalesce(updated_at, created_at) as "lastUpdated",
    coalesce(oauth->>'type', 'public') as type,
    coalesce(oauth->>'authMethod', 'none') as "authMethod",
    coalesce(oauth->'grantTypes', '[]')::text as "grantTypes",
    coalesce((oauth->>'firstParty')::boolean, false) as "firstParty"
from client
where project_id = :project
order by created_at, id
limit 1000
