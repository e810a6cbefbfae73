-- Returns an account of a file's rows that must get nothing: it is not a member of the project, is
-- a member of another project, or was not added by a file. No row: none. Runs after
-- tenant_account_lock, so that it sees earlier memberships.
-- class: tx
-- in: project uuid, rows text
-- rows: one
-- row: account uuid null, member bool, added bool
select g.id as account, p.member, t.invited is false as added
from (
    select (e.value ->> 'account_id')::uuid as id from json_array_elements(:rows::json) e (value)
) g
cross join lateral (
    select count(*) as projects, coalesce(bool_or(m.project_id = :project), false) as member
    from membership m
    where m.account_id = g.id
) p
left join lateral
    -- include: transfer_noted(project = :project, account = g.id)
    t on true
where p.projects > 1 or not p.member or t.invited is not false
limit 1
