-- Returns a project deletion's progress at each service.
-- class: read
-- in: project uuid
-- rows: many
-- row: struct deletion_part
select service, removed, done_at is not null as done, last_error as "lastError"
from project_deletion
where project_id = :project
order by project_id, service
