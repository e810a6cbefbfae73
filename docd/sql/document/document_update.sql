-- Renames a document of the author (null: any) unless the name is null, and makes it public, with a
-- token unless it has one, or private. Renames uploads in progress too. No row: no such document.
-- class: write
-- in: project uuid, id uuid, author uuid null, file_name text null, is_public bool null
-- in: token bytea null, token_hash bytea null, now int8
-- rows: one
-- row: struct document_row
with
updated as (
    update document
    set updated_at = :now, file_name = coalesce(:file_name, file_name),
        public_token = case
            when :is_public then coalesce(public_token, :token)
            when not :is_public then null
            else public_token
        end,
        public_hash = case
            when :is_public then coalesce(public_hash, :token_hash)
            when not :is_public then null
            else public_hash
        end
    where project_id = :project and id = :id and (:author is null or author_id = :author)
    returning *
),
uploads_updated as (
    update upload u
    set file_name = :file_name
    from updated d
    where u.project_id = :project and u.document_id = d.id and :file_name is not null
),
-- include: audit(from = updated)
select
    -- include: document_columns(from = d)
from updated d
