-- Returns a page of the users who are in a group, after the id `after`.
-- class: read
-- in: project uuid, after uuid, most int8
-- rows: many
-- row: id uuid
select distinct user_id as id
from scim_group_member
where project_id = :project and user_id > :after
order by id
limit :most
