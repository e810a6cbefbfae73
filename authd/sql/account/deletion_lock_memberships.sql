-- Locks the memberships of an account whose deletion is due by this schedule. First in the order of
-- locks of the deleting transaction. No row: no memberships, or the schedule is void or not due.
-- class: tx
-- in: account uuid, schedule uuid, now int8
-- rows: many
-- row: project uuid, profile uuid
select m.project_id as project, m.profile_id as profile
from membership m
where m.account_id = :account and (
    select a.delete_schedule = :schedule and a.delete_at <= :now
    from account a
    where a.id = :account
)
order by m.project_id, m.id
for update of m
