-- The file of a document of the author, or of any where that is null.
-- class: read
-- in: project uuid, id uuid, author uuid null, direct bool
-- rows: one
-- row: struct document_file
select
    -- include: document_file_columns,
    -- include: upload_pending(direct = :direct)
from document d
where d.project_id = :project and d.id = :id and (:author is null or d.author_id = :author)
