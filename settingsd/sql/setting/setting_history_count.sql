-- How many rows the history of a project's settings has.
-- class: read
-- in: project uuid
-- rows: one
-- row: total int8
select count(*) as total from setting_history where project_id = :project
