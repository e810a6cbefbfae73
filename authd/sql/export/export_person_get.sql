-- Returns a project's person and account as FHIR R4 resources. No row: the account is not a member.
-- class: read
-- in: project uuid, account uuid, now int8
-- rows: one
-- row: role role, profile uuid, person text, account text
select
    a.role,
    m.profile_id as profile,
    json_strip_nulls(json_build_object(
        'resourceType', a.role,
        'id', m.profile_id,
        'active', true,
        'name', json_build_array(json_build_object(
            'text', a.name || ' ' || a.surname,
            'family', nullif(a.surname, ''),
            'given', case when a.name <> '' then json_build_array(a.name) end
        )),
        'telecom', json_build_array(json_build_object('system', 'email', 'value', a.email)),
        'managingOrganization', case a.role
            when 'Patient' then json_build_object('reference', 'Organization/' || m.project_id)
        end
    ))::text as person,
    -- include: export_basic(id = a.id, code = 'account', subject = a.role || '/' || m.profile_id,
    --     created = a.created_at, values = {
    --         ('created', export_time(a.created_at)),
    --         ('email-verified', (select export_time(max(verified_at)) from email_verified v where v.account_id = a.id)),
    --         ('second-factor', (select export_time(enrolled_at) from mfa_factor f where f.account_id = a.id)),
    --         ('deletion', export_time(a.delete_at))})
    as account
from account a
join membership m on m.account_id = a.id and m.project_id = :project
where a.id = :account and
    -- include: account_active(account = a, now = :now)
