-- Lists forms that may still bring these documents a file (part upload_pending), the latest of each
-- document first.
-- class: read
-- in: project uuid, documents uuid[], most int8
-- rows: many
-- row: document uuid, id uuid
select u.document_id as document, u.id
from upload u
join document d on d.project_id = u.project_id and d.id = u.document_id
where u.project_id = :project and u.document_id = any (:documents)
    and u.number > coalesce(d.upload, 0) and u.failures < 10
    and
    -- include: not_held(project = u.project_id)
order by u.document_id, u.number desc
limit :most
