-- The sealed rows of projects behind the place `after` in the chain, up to `last`.
-- class: read
-- in: after int8, last int8
-- rows: many
-- row: struct audit_record
select sequence, id, at, project_id as project, entity, event::text as event, hash
from audit
where sequence > :after and sequence <= :last and sequence is not null and project_id is not null
order by sequence, id
