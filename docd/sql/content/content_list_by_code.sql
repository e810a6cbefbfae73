-- Lists like content_list, only keys with that code.
-- class: read
-- in: code text, todo text null, count int8, offset int8
-- rows: many
-- row: struct content_titles
with
found as materialized (
    select distinct c.key
    from content_translation l
    join content c using (project_id, type, key)
    where l.project_id = :content_titles.project and l.type = :content_titles.type
        and l.code = :code and l.language in (:content_titles.source, :content_titles.target)
        and
        -- include: content_todo(todo = :todo, source = :content_titles.source,
        --     target = :content_titles.target)
)
select
    c.total,
    p.key,
    s.title as source,
    t.title as target,
    -- include: content_versions(project = :content_titles.project, type = :content_titles.type,
    --     key = p.key)
    as languages
from (select count(*) as total from found) c
left join lateral (select key from found order by key limit :count offset :offset) p on true
-- include: content_titles
order by p.key
