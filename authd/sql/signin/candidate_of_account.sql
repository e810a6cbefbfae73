-- Finds a passkey's account, with a row per membership to which the sign-in can lead, oldest first:
-- all, or `project`'s (null: none).
-- class: read
-- in: account uuid, project uuid null
-- rows: many
-- row: struct candidate_row
select
    -- include: candidate_columns,
    false as mfa,
    -- include: member_locked(account = a, membership = m)
    as locked,
    enforced_any() as enforced
from account a
join credential c on c.account_id = a.id
left join lateral (
    select o.*
    from membership o
    where o.account_id = a.id and (:project::uuid is null or o.project_id = :project)
    offset 0
) m on true
where a.id = :account
order by m.created_at, m.id
limit 1000
