-- Adds a job, and deletes the waiting jobs of the schedule it replaces, if any. 0 rows: the job
-- exists, or the erasure of its account has begun.
-- class: write
-- in: id uuid, kind text, due_at int8, account uuid, schedule uuid, project uuid, now int8
-- in: replaces uuid null
-- rows: none
with
replaced as (
    delete from job
    where account_id = :account and schedule_id = :replaces and state = 'waiting'
        and lease is null
)
insert into job (id, kind, due_at, account_id, schedule_id, project_id, created_at)
select :id, :kind, :due_at, :account, :schedule, :project, :now
where not (select erasure_begun(:account))
on conflict (id) do nothing
