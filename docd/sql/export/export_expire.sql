-- Deletes expired exports. Returns how many.
-- class: write
-- in: now int8, most int8
-- rows: none
with
due as materialized (
    select project_id, id
    from export
    where due_at <= :now and (state = 'failed' or mailed_at is not null)
    order by due_at
    limit :most
    for update skip locked
)
delete from export e
using due
where e.project_id = due.project_id and e.id = due.id
