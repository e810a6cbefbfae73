-- Returns the names of valid API keys that a member made.
-- class: read
-- in: project uuid, membership uuid, now int8
-- rows: many
-- row: name text
select name
from api_key
where project_id = :project and created_by = :membership and revoked_at is null
    and expires_at > :now
order by id
