-- Lists the jobs in a state, earliest due first, up to `most`.
-- class: read
-- in: state text, most int8
-- rows: many
-- row: struct job_row
select
    id, kind, account_id as account, state, attempts, due_at as "dueAt",
    created_at as "createdAt", last_error as "lastError"
from job
where state = :state
order by due_at, id
limit :most
