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
    --         ('directoryUserName', s.user_name),
    --         ('directoryExternalId', s.external_id),
    --         ('created', export_time(m.created_at))})
    as resource
from membership m
left join lateral (
    select user_name, external_id from scim_user where project_id = m.project_id and id = m.id limit 1
) s on true
where m.account_id = :account and m.project_id = :project and m.id > :after
order by m.id
limit :most
