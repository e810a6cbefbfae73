-- Finds a project's patient by email address, with password and membership, and the sign-in's
-- limits. Always one row, with nulls for an unknown patient.
-- class: read
-- in: project uuid, email text
-- rows: one
-- row: pair int8 null, address int8 null, account int8 null, enforced bool
-- row: candidate struct candidate_row
select
    t.*,
    enforced_any() as enforced,
    c.*
from (
    -- include: throttle_limits
    offset 0
) t
left join lateral (
    select
        a.id,
        c.password_hash as hash,
        a.name,
        a.surname,
        a.project_id as project,
        m.profile_id as profile,
        c.changes,
        -- include: address_key_of(account = a.id)
        as address_key,
        coalesce(
            -- include: factor_enrolled(account = a.id)
        , false) as mfa,
        -- include: member_locked(account = a, membership = m)
        as locked
    from account a
    join credential c on c.account_id = a.id
    cross join
        -- include: membership_of(account = a.id, project = a.project_id)
    where a.role = 'Patient' and a.project_id = :project and a.email = :email and
        -- include: account_active(account = a, now = :throttle_limits.now)
) c on true
