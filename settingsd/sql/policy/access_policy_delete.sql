-- Deletes an access policy. No row: not found, or the project has another version.
-- class: write
-- in: project uuid, id uuid, version int8
-- rows: one
with
updated as (
    update project set version = version + 1 where id = :project and version = :version returning id
),
deleted as (
    delete from access_policy a
    using updated p
    where a.project_id = p.id and a.id = :id
    returning a.id
),
-- include: audit(from = deleted)
select from deleted
