-- Deletes a form whose file cannot be adopted. No row: as in upload_fail.
-- class: write
-- in: project uuid, id uuid
-- rows: one
with
d as (
    select d.id
    from upload u
    join document d on d.project_id = u.project_id and d.id = u.document_id
    where u.project_id = :project and u.id = :id and u.number > coalesce(d.upload, 0)
    for update of d
),
deleted as (
    delete from upload u
    using d
    where u.project_id = :project and u.id = :id
    returning d.id
),
-- include: audit(from = deleted, entity = coalesce(:audit.entity, 'DocumentReference/' || id))
select from deleted
