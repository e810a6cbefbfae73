-- Returns the next unsealed rows after id `after`. Without it, each batch would read the index
-- entries of all recently sealed rows.
-- class: tx
-- in: after int8, count int8
-- rows: many
-- row: struct audit_record
select id, at, project_id as project, entity, event::text as event
from audit
where sequence is null and id > :after
order by id
limit :count
