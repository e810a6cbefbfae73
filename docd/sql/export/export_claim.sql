-- Leases a pending export that is due. The attempt's object is swept unless it becomes the export's
-- file. No row: none is due.
-- class: write
-- in: lease uuid, object uuid, now int8, until int8, sweep_at int8
-- rows: one
-- row: project uuid, id uuid, account uuid, profile uuid, attempts int8, created_at int8
with
due as materialized (
    select project_id, id
    from export
    -- Excludes the other states, so that the planner cannot choose the index export_pending and
    -- read it whole.
    where due_at <= :now and state not in ('ready', 'failed')
    order by due_at
    limit 1
    for update skip locked
),
claimed as (
    update export e
    set lease = :lease, due_at = :until, attempts = e.attempts + 1
    from due
    where e.project_id = due.project_id and e.id = due.id
    returning e.*
),
object_inserted as (
    insert into object (project_id, id, sweep_at)
    select project_id, :object, :sweep_at from claimed
)
select
    project_id as project, id, account_id as account, profile_id as profile, attempts, created_at
from claimed
