-- Lists a project's webhooks after the id `after`, by id.
-- class: read
-- in: project uuid, after uuid, most int8
-- rows: many
-- row: struct webhook
select
    -- include: webhook_columns(from = w)
from webhook w
where project_id = :project and id > :after
order by project_id, id
limit :most
