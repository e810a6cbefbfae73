-- Returns a project's person by account or profile; the other is null. No row: no such member.
-- class: read
-- in: project uuid, account uuid null, profile uuid null
-- rows: one
-- row: account uuid, profile text
select m.account_id as account, a.role || '/' || m.profile_id as profile
from (
    select account_id, profile_id
    from membership
    where account_id = :account and project_id = :project
    union all
    select account_id, profile_id
    from membership
    where project_id = :project and profile_id = :profile
) m
cross join
    -- include: account_of(row = m)
limit 1
