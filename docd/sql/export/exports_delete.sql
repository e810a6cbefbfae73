-- Deletes all exports of a deleted account and those it requested, and makes their bytes due for
-- the sweep. Returns how many, and counts them for the account's erasure unless that is absent.
-- class: write
-- in: account uuid, now int8
-- rows: none
with
deleted as (
    delete from export where account_id = :account or asked_by = :account returning *
),
object_updated as (
    update object o
    set sweep_at = :now, erased_for = :erasure.account
    from deleted d
    where o.project_id = d.project_id and o.id = d.object_id
    returning o.id
),
erased as (
    select 'export' as table_name, count(*) as rows, coalesce(sum(size), 0) as bytes from deleted
    union all
    select 'object', count(*), 0 from object_updated
),
-- include: erasure_count as erasure(from = erased c),
-- include: audit(from = deleted, project = project_id, entity = 'Export/' || id)
select from deleted
