-- Returns a project's template in one language ('' is the one without). No row: none.
-- class: read
-- in: project uuid, name text, language text
-- rows: one
-- row: struct template_record
select
    -- include: template_columns(from = t),
    -- include: row_etag(from = t)
    as etag
from template t
where project_id = :project and name = :name and language = :language
