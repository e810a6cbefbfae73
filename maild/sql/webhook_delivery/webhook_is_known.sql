-- Whether a project has a webhook.
-- class: read
-- in: project uuid, id uuid
-- rows: one
select from webhook where project_id = :project and id = :id
