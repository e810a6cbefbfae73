-- Adds a document with its first form. No row: the erasure of its author's account has begun. A row
-- without an id: over the quotas.
-- class: write
-- in: project uuid, id uuid, account uuid null, role role, profile uuid, display text null
-- in: file_name text, content_type text, token bytea null, token_hash bytea null, now int8
-- in: documents_max int8 null
-- rows: one
-- row: struct document_row
with
fits as materialized (
    select document_fits(
        :project, :profile, :documents_max, :upload.bytes_max, :upload.project_bytes_max, 1, 1
    ) as fits
    where not coalesce((select erasure_begun(:account)), false)
),
inserted as (
    insert into document (
        project_id, id, author_type, author_id, author_display, file_name, content_type,
        public_token, public_hash, updated_at, uploads
    )
    select
        :project, :id, :role, :profile, :display, :file_name, :content_type, :token, :token_hash,
        :now, 1
    from fits
    where fits.fits
    returning *
),
-- include: upload_insert as upload(
--     from = inserted, file_name = :file_name, content_type = :content_type),
-- include: audit(from = inserted)
select
    -- include: document_columns(from = d)
from fits
left join inserted d on true
