-- Adds a document with its first form. No row: it does not fit in the quotas.
-- class: write
-- in: project uuid, id uuid, role text, profile uuid, display text null, file_name text
-- in: content_type text, token bytea null, token_hash bytea null, now int8, documents_max int8 null
-- rows: one
-- row: struct document_row
with
fits as materialized (
    select document_fits(
        :project, :profile, :documents_max, :upload.bytes_max, :upload.project_bytes_max, 1, 1
    ) as fits
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
from inserted d
