-- How many members a project has, with those who are invited.
-- class: read
-- in: project uuid
-- rows: one
-- row: total int8
select
    (select count(*) from membership where project_id = :project)
    + (select count(*) from invitation where project_id = :project) as total
