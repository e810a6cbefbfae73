-- Returns a draft.
-- class: read
-- in: project uuid, type text, key text, language text
-- rows: one
-- row: sections_json text, entry struct cms_entry
select
    sections::text as sections_json,
    type,
    key,
    language,
    title,
    author,
    code,
    updated_at as "lastUpdated",
    -- include: row_etag(from = t)
    as etag
from content_draft t
where project_id = :project and type = :type and key = :key and language = :language
