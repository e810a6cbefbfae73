-- Returns a project's sealed rows after a sequence number.
-- class: read
-- in: project uuid, after int8, count int8
-- rows: many
-- row: struct audit_record
select sequence, id, at, project_id as project, entity, event::text as event, hash
from audit
where project_id = :project and sequence > :after and sequence is not null
order by sequence, id
limit :count
