-- Lists a page of the keys with a title in one of two languages and with what `todo` asks for (part
-- content_todo); each row contains the total number. An empty page is one row without a key.
-- class: read
-- in: todo text null, count int8, offset int8
-- rows: many
-- row: struct content_titles
select
    c.total,
    p.key,
    s.title as source,
    t.title as target,
    -- include: content_versions(project = :content_titles.project, type = :content_titles.type,
    --     key = p.key)
    as languages
from (
    select count(*) as total
    from content c
    where project_id = :content_titles.project and type = :content_titles.type
        and languages && array[:content_titles.source, :content_titles.target]
        and
        -- include: content_todo(todo = :todo, source = :content_titles.source,
        --     target = :content_titles.target)
) c
left join lateral (
    select key
    from content c
    where project_id = :content_titles.project and type = :content_titles.type
        and languages && array[:content_titles.source, :content_titles.target]
        and
        -- include: content_todo(todo = :todo, source = :content_titles.source,
        --     target = :content_titles.target)
    order by key
    limit :count offset :offset
) p on true
-- include: content_titles
order by p.key
