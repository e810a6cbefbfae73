-- Removes a message from the queue and erases its content. No row: no such message, or it was sent
-- or dropped before.
-- class: write
-- in: id uuid
-- rows: one
with
dropped as (
    update message
    set state = 'dropped', sealed = null, lease = null
    where id = :id and state in ('queued', 'dead')
    returning id, nullif(project_id, '00000000-0000-0000-0000-000000000000'::uuid) as project_id
),
-- include: audit(from = dropped, project = coalesce(project_id, :audit.project))
select from dropped
