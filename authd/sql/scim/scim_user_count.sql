-- Counts the users of a project's directory, and those of them who are members.
-- class: read
-- in: project uuid
-- rows: one
-- row: total int8, members int8
select
    m.count + (
        select count(*) from invitation where project_id = :project and role = 'Practitioner'
    ) as total,
    m.count as members
from (
    select count(*) from member_order where project_id = :project and role = 'Practitioner'
) m
