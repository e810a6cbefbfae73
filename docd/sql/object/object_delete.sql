-- Deletes an object's row after its bytes, unless a document has it.
-- class: write
-- in: project uuid, id uuid
-- rows: none
delete from object o
where project_id = :project and id = :id
    and not exists (
        select from document d where d.project_id = o.project_id and d.object_id = o.id
    )
