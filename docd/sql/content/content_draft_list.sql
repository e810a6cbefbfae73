-- Lists a project's drafts, of one type (null: all).
-- class: read
-- in: project uuid, type text null
-- rows: many
-- row: languages_json text null, draft struct cms_draft
select
    -- include: content_versions(project = d.project_id, type = d.type, key = d.key)
    as languages_json,
    d.type,
    d.key,
    d.language,
    d.title,
    d.updated_at as "lastUpdated"
from content_draft d
where d.project_id = :project and (:type is null or d.type = :type)
order by d.type, d.key, d.language
limit 1000
