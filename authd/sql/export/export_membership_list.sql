-- Returns an account's membership in a project as a FHIR R4 resource, after the id `after`.
-- class: read
-- in: project uuid, account uuid, subject text, after uuid, most int8
-- rows: many
-- row: id uuid, resource text
select
    m.id,
    -- include: export_basic(id = m.id, code = 'membership', subject = :subject, created = m.created_at,
    --     values = {
    --         ('organization', m.project_id::text),
    --         ('profile', m.profile_id::text),
    --         ('administrator', m.admin::text),
    --         ('created', export_time(m.created_at))})
    as resource
from membership m
where m.account_id = :account and m.project_id = :project and m.id > :after
order by m.id
limit :most
