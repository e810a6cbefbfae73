-- Finds an account with the invitation's address whose deletion is due. No row: there is none.
-- class: read
-- in: project uuid, id uuid, now int8
-- rows: one
-- row: account uuid, schedule uuid
select a.id as account, a.delete_schedule as schedule
from invitation i
join account a
    on a.email = i.email and a.role = i.role
    and (a.project_id is null or a.project_id = i.project_id)
where i.project_id = :project and i.id = :id and a.delete_at <= :now
