-- Lists a page of documents with a file, in key order: those after a project and a document, up to
-- the project `last_project`.
-- class: read
-- in: project uuid, id uuid, last_project uuid, most int8
-- rows: many
-- row: project uuid, id uuid, object uuid, size int8, etag text, file_name text, missing bool
select
    project_id as project, id, object_id as object, size, etag, file_name,
    missing_at is not null as missing
from document
where (project_id, id) > (:project, :id) and project_id <= :last_project and object_id is not null
order by project_id, id
limit :most
