-- Finds a practitioner by email address, with password, a row per membership (oldest first, or
-- null), and the sign-in's limits. One row with nulls for an unknown practitioner.
-- class: read
-- in: email text
-- rows: many
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
        -- include: candidate_columns,
        coalesce(
            -- include: factor_enrolled(account = a.id)
        , false) as mfa,
        -- include: member_locked(account = a, membership = m)
        as locked,
        a.locked_at is not null as barred
    from account a
    join credential c on c.account_id = a.id
    left join membership m on m.account_id = a.id
    where a.role = 'Practitioner' and a.email = :email and
        -- include: account_active(account = a, now = :throttle_limits.now)
    order by m.created_at, m.id
    limit 1000
) c on true
