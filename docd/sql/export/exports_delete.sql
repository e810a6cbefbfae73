-- Deletes all exports of an account that is gone, and those that it has asked for; their bytes are
-- due for the sweep from now on. How many.
-- class: write
-- in: account uuid, now int8
-- rows: none
with
deleted as (
    delete from export where account_id = :account or asked_by = :account returning *
),
object_updated as (
    update object o
    set sweep_at = :now
    from deleted d
    where o.project_id = d.project_id and o.id = d.object_id
),
-- include: audit(from = deleted, project = project_id, entity = 'Export/' || id)
select from deleted
