-- Deletes a page of a deleted project's documents, with their upload forms.
-- class: write
-- in: project uuid, most int8
-- rows: one
-- row: removed int8
with
due as materialized (
    select id from document where project_id = :project order by project_id, id limit :most for update
),
deleted as (
    delete from document
    where project_id = :project and id = any (array(select id from due))
    returning id
),
-- include: audit(from = deleted, entity = coalesce(:audit.entity, 'DocumentReference/' || id))
select count(*) as removed from deleted
