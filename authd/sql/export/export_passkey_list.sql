-- Returns an account's passkeys, without keys, as FHIR R4 resources, after the id `after`: those
-- created in the project's sessions, and those for all projects.
-- class: read
-- in: project uuid, account uuid, subject text, after uuid, most int8
-- rows: many
-- row: id uuid, resource text
select
    p.id,
    -- include: export_basic(id = p.id, code = 'passkey', subject = :subject, created = p.created_at,
    --     values = {
    --         ('name', p.name),
    --         ('created', export_time(p.created_at)),
    --         ('last-used', export_time(p.last_used_at))})
    as resource
from passkey p
where p.account_id = :account and p.id > :after
    and p.opens_id in (:project, '00000000-0000-0000-0000-000000000000')
order by p.id
limit :most
