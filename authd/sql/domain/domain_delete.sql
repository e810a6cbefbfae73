-- Deletes a domain of a project. No row: the project does not have it.
-- class: tx
-- in: project uuid, domain text
-- rows: one
with
deleted as (
    delete from project_domain
    where project_id = :project and domain = :domain
    returning domain
),
-- include: audit(from = deleted)
select from deleted
