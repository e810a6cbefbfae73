-- Locks the memberships of a project's admins and one more, always in the same order.
-- class: tx
-- in: project uuid, membership uuid
-- rows: many
-- row: id uuid
select id
from membership
where project_id = :project
    and id = any (array(
        select id from membership where project_id = :project and admin union select :membership
    ))
order by id
for update
