-- Counts a project's members and pending invitations.
-- class: read
-- in: project uuid
-- rows: one
-- row: total int8
select
    (select count(*) from membership where project_id = :project)
    + (select count(*) from invitation where project_id = :project) as total
