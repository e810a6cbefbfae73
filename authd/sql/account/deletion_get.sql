-- Whom the reminder of a deletion is mailed to, and the project whose template it has: the one that
-- the deletion was asked for in, or another if the account has left that. No row: there is nothing
-- to be reminded of, because the schedule is void or its date has come, or the account is no member
-- of any project.
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
