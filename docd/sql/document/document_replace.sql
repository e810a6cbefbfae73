-- Issues another form for a document of the author (null: any). Until the first upload, the
-- document has the name and type of its latest form. Only the latest 20 forms are valid. No row: no
-- such document. A row without an id: no byte is left in the quotas.
-- class: write
-- in: project uuid, id uuid, author uuid null, file_name text, content_type text, now int8
-- rows: one
-- row: struct document_row
with
own as materialized (
    select *
    from document
    where project_id = :project and id = :id and (:author is null or author_id = :author)
    for update
),
fits as materialized (
    select
        -- include: upload_fits(document = own, bytes_max = :upload.bytes_max,
        --     project_bytes_max = :upload.project_bytes_max, bytes = 1)
    from own
),
updated as (
    update document
    set uploads = uploads + 1, updated_at = :now,
        file_name = case when object_id is null then :file_name else file_name end,
        content_type = case when object_id is null then :content_type else content_type end
    from fits
    where project_id = :project and id = :id and fits.fits
    returning document.*
),
older_deleted as (
    delete from upload
    where ctid = any (array(
        select u.ctid
        from upload u
        where u.project_id = :project and u.document_id = (select id from updated)
            and u.failed_at is null
        order by u.number desc
        offset 19
    ))
),
-- include: upload_insert as upload(
--     from = updated, file_name = :file_name, content_type = :content_type),
-- include: audit(from = updated)
select
    -- include: document_columns(from = d)
from fits
left join updated d on true
