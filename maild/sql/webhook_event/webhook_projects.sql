-- Lists projects with an enabled webhook, up to `most`.
-- class: read
-- in: most int8
-- rows: many
-- row: project uuid
select distinct project_id as project
from webhook
where enabled and project_id > '00000000-0000-0000-0000-000000000000'
order by project_id
limit :most
