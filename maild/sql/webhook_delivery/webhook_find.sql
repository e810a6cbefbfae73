-- Returns the format of a project's webhook. No row: no such webhook.
-- class: read
-- in: project uuid, id uuid
-- rows: one
-- row: format text
select format from webhook where project_id = :project and id = :id
