-- Records since when a document's object is missing; null: it is there. No row: the document has
-- another object, or already has this mark.
-- class: write
-- in: project uuid, id uuid, object uuid, missing_at int8 null
-- rows: one
with
updated as (
    update document
    set missing_at = :missing_at
    where project_id = :project and id = :id and object_id = :object
        and (missing_at is null) <> (:missing_at is null)
    returning *
),
-- include: audit(from = updated)
select from updated
