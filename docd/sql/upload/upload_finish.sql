-- Makes a complete object the file of its document; the previous object is due at `sweep_at`. A row
-- without a document: over the quotas. `direct` and no row: as in upload_begin.
-- class: write
-- in: project uuid, id uuid, direct bool, object uuid, size int8, etag text, found_type text
-- in: now int8, sweep_at int8
-- rows: one
-- row: document uuid null
with
u as (
    select * from upload where project_id = :project and id = :id
),
old as materialized (
    select d.*
    from document d
    join u on d.project_id = u.project_id and d.id = u.document_id
    where coalesce(d.upload, 0) < u.number or d.upload = u.number and not :direct
    for update of d
),
fits as materialized (
    select
        -- include: upload_fits(document = old, bytes_max = u.bytes_max,
        --     project_bytes_max = u.project_bytes_max, bytes = :size)
    from old, u
),
updated as (
    update document d
    set upload = u.number, object_id = :object, size = :size, etag = :etag,
        found_type = :found_type, file_name = u.file_name, content_type = u.content_type,
        updated_at = :now, missing_at = null
    from old, u, fits
    where d.project_id = :project and d.id = old.id and fits.fits
    returning d.id
),
object_updated as (
    update object o
    set sweep_at = null
    from updated
    where o.project_id = :project and o.id = :object
),
old_object_updated as (
    update object o
    set sweep_at = :sweep_at
    from updated, old
    where o.project_id = :project and o.id = old.object_id and o.id <> :object
),
-- include: audit(from = updated, entity = coalesce(:audit.entity, 'DocumentReference/' || id))
select updated.id as document
from fits
left join updated on true
