-- Checks a sign-in by email address, role and project, for `atriumctl explain sign-in`. `key`: the
-- account's throttle key.
-- class: read
-- in: role role, project uuid null, email text, key bytea, now int8, window int8, most int8
-- in: organization uuid null, providers_of uuid[]
-- rows: one
-- row: account uuid null, found bool, has_password bool, member bool, throttled bool, policy uuid null
-- row: admin bool, factor bool, invited bool, deleted bool, delete_at int8 null
-- row: verified bool, locked bool, member_locked bool, by_directory bool, providers text null
select
    a.id as account,
    a.id is not null as found,
    c.account_id is not null as has_password,
    m.id is not null as member,
    -- include: hit_at_limit(key = :key, now = :now, window = :window, limit = :most)
    is not null as throttled,
    m.policy_id as policy,
    coalesce(m.admin, false) as admin,
    coalesce(
        -- include: factor_enrolled(account = a.id)
    , false) as factor,
    exists (
        select from invitation where project_id = :project and role = :role and email = :email
    ) as invited,
    coalesce(a.delete_at <= :now, false) as deleted,
    a.delete_at,
    -- include: email_is_verified(account = a.id, organization = :organization)
    as verified,
    a.locked_at is not null as locked,
    m.locked_at is not null as member_locked,
    exists (
        select
        from scim_user s
        where s.project_id = :project and s.membership_id = m.id and s.locked_at = m.locked_at
    ) as by_directory,
    (
        select left(string_agg(distinct p.name, ', '), 200)
        from identity_provider p
        where p.project_id = any (:providers_of) and p.state = 'active'
            and exists (
                select from identity i where i.account_id = a.id and i.provider_id = p.id
            )
    ) as providers
from (select 1) one
left join account a
    on a.role = :role and a.email = :email and (a.project_id is null or a.project_id = :project)
left join credential c on c.account_id = a.id
left join membership m on m.account_id = a.id and m.project_id = :project
