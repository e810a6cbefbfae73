-- Deletes a document of the author, or of any where that is null: its objects, which are due for
-- the sweep from now on, or one row without an object. No row: there is no such document.
-- class: write
-- in: project uuid, id uuid, author uuid null, now int8
-- rows: many
-- row: object uuid null
with
deleted as (
    delete from document
    where project_id = :project and id = :id and (:author is null or author_id = :author)
    returning *
),
objects_updated as (
    update object o
    set sweep_at = :now
    from deleted d
    where o.project_id = :project and o.document_id = d.id
    returning o.id
),
-- include: audit(from = deleted)
select o.id as object
from deleted
left join objects_updated o on true
