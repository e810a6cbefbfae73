-- Deletes documents without an upload that were not changed since `before`, oldest first, up to
-- `most`. Keeps those whose file arrived but could not be adopted. Returns how many.
-- class: write
-- in: before int8, most int8
-- rows: none
with
due as (
    select project_id, id
    from document d
    where object_id is null and updated_at < :before
        and not exists (
            select
            from upload u
            where u.project_id = d.project_id and u.document_id = d.id and u.failures > 0
            offset 0
        )
        and
        -- include: not_held(project = d.project_id)
    order by updated_at
    limit :most
    for update skip locked
),
deleted as (
    delete from document
    using due
    where document.project_id = due.project_id and document.id = due.id
    returning document.*
),
-- include: audit(from = deleted, project = coalesce(:audit.project, project_id),
--     entity = coalesce(:audit.entity, 'DocumentReference/' || id))
select from deleted
