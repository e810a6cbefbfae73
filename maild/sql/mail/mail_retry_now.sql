-- Makes a message due now if it has its content and is not in delivery. Returns its state. No row:
-- no such message.
-- class: write
-- in: id uuid, now int8
-- rows: one
-- row: state text
with
due as (
    update message
    set due_at = :now
    where id = :id and sealed is not null and lease is null
    returning nullif(project_id, '00000000-0000-0000-0000-000000000000'::uuid) as project_id
),
-- include: audit(from = due, project = coalesce(project_id, :audit.project))
select state from message where id = :id
