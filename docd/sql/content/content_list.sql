-- A page of the keys of a type that have a title in one of two languages, each behind the number of
-- all of them. One row without a key: the page is empty.
-- class: read
-- in: count int8, offset int8
-- rows: many
-- row: struct content_titles
select c.total, p.key, s.title as source, t.title as target
from (
    select count(*) as total
    from content
    where project_id = :content_titles.project and type = :content_titles.type
        and languages && array[:content_titles.source, :content_titles.target]
) c
left join lateral (
    select key
    from content
    where project_id = :content_titles.project and type = :content_titles.type
        and languages && array[:content_titles.source, :content_titles.target]
    order by key
    limit :count offset :offset
) p on true
-- include: content_titles
order by p.key
