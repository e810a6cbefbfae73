-- Returns those of these accounts that are members of a project.
-- class: read
-- in: project uuid, accounts uuid[], now int8
-- rows: many
-- row: struct audit_person
select
    a.id as account,
    a.role || '/' || m.profile_id as profile,
    a.name as "firstName",
    a.surname as "lastName",
    a.email
from (select distinct id from unnest(:accounts) as u (id)) i
cross join lateral (
    select account_id, profile_id
    from membership
    where account_id = i.id and project_id = :project
    limit 1
) m
cross join
    -- include: account_of(row = m)
where
    -- include: account_active(account = a, now = :now)
