-- The next rows that are not sealed.
-- class: tx
-- in: count int8
-- rows: many
-- row: struct audit_record
select id, at, project_id as project, entity, event::text as event
from audit
where sequence is null
order by id
limit :count
