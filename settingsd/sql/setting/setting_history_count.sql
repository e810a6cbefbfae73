-- Counts the rows of a project's settings history.
-- class: read
-- in: project uuid
-- rows: one
-- row: total int8
select count(*) as total from setting_history where project_id = :project
