-- Returns whether a project is remembered as deleted.
-- class: read
-- in: project uuid
-- rows: one
-- row: found bool
select exists (select from project_purge where project_id = :project) as found
