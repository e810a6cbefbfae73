-- Lists translations whose words an earlier release wrote, with their texts. Skips read-only
-- projects.
-- class: read
-- in: most int8
-- rows: many
-- row: project uuid, type text, key text, language text
-- row: title text, name text, sections text, etag text
select
    project_id as project,
    type,
    key,
    language,
    title,
    key || ' ' || coalesce(author, '') as name,
    content_section_text(sections) as sections,
    -- include: row_etag(from = t)
    as etag
from content_translation t
where not words @@ '''T.1'''::tsquery
    and not exists (select from project_hold h where h.project_id = t.project_id offset 0)
order by project_id, type, key, language
limit :most
