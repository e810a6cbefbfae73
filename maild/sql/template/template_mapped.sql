-- Whether a project has a template of that name, in any language. There is always a row.
-- class: read
-- in: project uuid, name text
-- rows: one
-- row: mapped bool
select exists (select from template where project_id = :project and name = :name) as mapped
