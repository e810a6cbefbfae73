-- Deletes a document of the author (null: any) and makes its objects due for the sweep. Returns the
-- objects, or one row without an object. No row: no such document.
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
objects_expired as (
    select o.id
    from deleted d
    cross join lateral document_objects_expire(:project, d.id, :now, null) o (id)
),
-- include: audit(from = deleted)
select o.id as object
from deleted
left join objects_expired o on true
