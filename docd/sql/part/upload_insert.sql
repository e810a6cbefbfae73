-- Inserts a form for document {from}, issued to `session`, for a file with {file_name} and
-- {content_type}.
-- args: from, file_name, content_type
-- in: id uuid, expires_at int8, session uuid null, bytes_max int8 null, project_bytes_max int8 null
{as}_inserted as (
    insert into upload (
        project_id, id, document_id, number, file_name, content_type, expires_at, session_id,
        bytes_max, project_bytes_max
    )
    select
        d.project_id, :id, d.id, d.uploads, {file_name}, {content_type}, :expires_at, :session,
        :bytes_max, :project_bytes_max
    from {from} d
)
