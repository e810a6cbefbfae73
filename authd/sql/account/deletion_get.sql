-- Returns the recipient of a deletion reminder, and the project whose template it uses: where the
-- deletion was requested, or another if the account has left that project. No row: the schedule is
-- void or due, or the account has no membership.
-- class: read
-- in: account uuid, schedule uuid, now int8, project uuid
-- rows: one
-- row: email text, name text, surname text, delete_at int8, project uuid
select a.email, a.name, a.surname, a.delete_at, m.project_id as project
from account a
cross join lateral (
    select project_id
    from membership
    where account_id = a.id
    order by project_id = :project desc, created_at, id
    limit 1
) m
where a.id = :account and a.delete_schedule = :schedule and a.delete_at > :now
