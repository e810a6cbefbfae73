-- Adds a row for bytes without one, so that they are swept at `sweep_at`. No row: they have one.
-- class: write
-- in: project uuid, id uuid, sweep_at int8
-- rows: one
with
inserted as (
    insert into object (project_id, id, sweep_at)
    values (:project, :id, :sweep_at)
    on conflict do nothing
    returning *
),
-- include: audit(from = inserted)
select from inserted
