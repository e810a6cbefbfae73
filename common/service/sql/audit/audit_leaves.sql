-- The leaves of the sealed rows of projects behind the place `after` in the chain, up to `last`: struct audit_leaf one
-- after another. The hash is over the text of audit_leaf_text(); PostgreSQL computes it where the row is, so that none of
-- the text is sent. No bytes: there is no such row.
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
