-- Records that a document's bytes have arrived, with their properties from the store. No row:
-- already recorded, or the document has another file.
-- class: write
-- in: project uuid, object uuid, size int8, etag text, found_type text
-- rows: one
with
updated as (
    update document
    set missing_at = null, etag = :etag, found_type = :found_type
    where project_id = :project and object_id = :object and size = :size
        and missing_at is not null
    returning *
),
-- include: audit(from = updated, entity = {'DocumentReference/' || id})
select from updated
