-- Finds the account of a login that waits for a second factor, with a row per membership to which
-- it can lead, oldest first (null: none).
-- class: read
-- in: login uuid, role role, now int8
-- rows: many
-- row: struct candidate_row
select
    -- include: candidate_columns,
    true as mfa
from
    -- include: login_of(id = :login)
join account a on a.id = l.account_id
join credential c on c.account_id = a.id
left join lateral (
    select o.*
    from membership o
    where o.account_id = a.id and o.locked_at is null
        and (l.project_id is null or o.project_id = l.project_id)
    offset 0
) m on true
where a.role = :role and a.locked_at is null and
    -- include: login_waits(now = :now)
    and
    -- include: account_active(account = a, now = :now)
order by m.created_at, m.id
limit 1000
