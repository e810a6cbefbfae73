-- Lists finished exports without a queued email.
-- class: read
-- in: now int8, most int8
-- rows: many
-- row: project uuid, id uuid, account uuid, expires_at int8
select project_id as project, id, account_id as account, expires_at
from export
where due_at <= :now and state = 'ready' and mailed_at is null
order by due_at
limit :most
