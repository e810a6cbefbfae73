-- The next rows that are not sealed behind the row `after`. Index entries of rows that were sealed
-- lately are still there, and a batch that began at the first would read those of all before it.
-- class: tx
-- in: after int8, count int8
-- rows: many
-- row: struct audit_record
select id, at, project_id as project, entity, event::text as event
from audit
where sequence is null and id > :after
order by id
limit :count
