-- The keys of a project behind the id `after`, in the order of their ids. Expired ones are there
-- until they are swept.
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
