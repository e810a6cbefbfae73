-- Returns whether a project has a template with that name, in any language. Always returns a row.
-- class: read
-- in: project uuid, name text
-- rows: one
-- row: mapped bool
select exists (select from template where project_id = :project and name = :name) as mapped
