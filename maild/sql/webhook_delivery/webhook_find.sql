-- Returns the format of a project's webhook, and whether it is enabled. No row: no such webhook.
-- class: read
-- in: project uuid, id uuid
-- rows: one
-- row: format text, enabled bool
select format, enabled from webhook where project_id = :project and id = :id
