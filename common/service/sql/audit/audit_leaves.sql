-- Returns the leaves of projects' sealed rows after sequence `after` up to `last`, as consecutive
-- struct audit_leaf. PostgreSQL hashes the text of audit_leaf_text(), so that it is not sent. No
-- bytes: no such row.
-- class: read
-- in: daemon text, after int8, last int8
-- rows: one
-- row: leaves bytea null
select string_agg(
    uuid_send(project_id) || int8send(sequence) || int8send(at) || sha256('\x00'::bytea || convert_to(format(
        '{"daemon":"%s","sequence":%s,"id":%s,"at":%s,"project":"%s","entity":%s,"event":%s}',
        :daemon::text, sequence, id, at, project_id, coalesce(to_json(entity)::text, 'null'), event::text
    ), 'UTF8')), ''::bytea
) as leaves
from (
    select sequence, id, at, project_id, entity, event
    from audit
    where sequence > :after and sequence <= :last and sequence is not null and project_id is not null
    order by sequence
) s
