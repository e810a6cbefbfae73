-- Returns a page of a project's API keys by id, after the id `after`, including expired keys that
-- are not swept yet.
-- class: read
-- in: project uuid, after uuid null, most int8
-- rows: many
-- row: struct api_key
select
    -- include: api_key_columns(from = k)
from api_key k
where project_id = :project and revoked_at is null and (:after::uuid is null or id > :after)
order by project_id, id
limit :most
