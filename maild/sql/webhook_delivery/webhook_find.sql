-- What is posted to a webhook of a project. No row: it has no such one.
-- class: read
-- in: project uuid, id uuid
-- rows: one
-- row: format text
select format from webhook where project_id = :project and id = :id
