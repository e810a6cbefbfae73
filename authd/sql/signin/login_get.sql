-- Finds a login by its code, with its account and, if the project is chosen, the membership and its
-- address rules.
-- class: read
-- in: code_hash bytea, now int8, role role
-- rows: one
-- row: id uuid, account uuid, project uuid null, within uuid null, challenge text
-- row: auth_method text, provider text null, used bool
-- row: session_project uuid null, session uuid null, email text, name text, surname text
-- row: policy uuid null, admin bool null, change int8, address_key text null
select
    l.id,
    l.account_id as account,
    coalesce(a.project_id, l.project_id) as project,
    l.within_id as within,
    l.challenge,
    l.auth_method,
    (
        select p.name
        from identity i
        join identity_provider p on p.id = i.provider_id
        where i.id = l.identity_id
    ) as provider,
    l.used_at is not null as used,
    l.session_project,
    l.session_id as session,
    a.email,
    a.name,
    a.surname,
    m.policy_id as policy,
    m.admin,
    -- include: settings_change
    as change,
    -- include: address_key_of(account = l.account_id)
    as address_key
from login l
cross join
    -- include: account_of(row = l)
left join
    -- include: membership_of(account = l.account_id, project = coalesce(a.project_id, l.project_id))
    on true
where l.code_hash = :code_hash and a.role = :role and
    -- include: not_expired(column = l.expires_at, now = :now)
    and
    -- include: account_active(account = a, now = :now)
