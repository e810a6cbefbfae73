-- An account of rows from another installation that is no member of the project, or of another
-- project, too: it gets nothing. No row: all are members of the project alone. Runs behind
-- tenant_account_lock, and sees the memberships that were made before.
-- class: tx
-- in: project uuid, rows text
-- rows: one
-- row: account uuid null, member bool
select g.id as account, p.member
from (
    select (e.value ->> 'account_id')::uuid as id from json_array_elements(:rows::json) e (value)
) g
cross join lateral (
    select count(*) as projects, coalesce(bool_or(m.project_id = :project), false) as member
    from membership m
    where m.account_id = g.id
) p
where p.projects > 1 or not p.member
limit 1
