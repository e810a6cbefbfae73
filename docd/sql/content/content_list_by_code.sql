-- Lists like content_list, only keys with that code.
-- class: read
-- in: code text, count int8, offset int8
-- rows: many
-- row: struct content_titles
with
found as materialized (
    select distinct key
    from content_translation
    where project_id = :content_titles.project and type = :content_titles.type and code = :code
        and language in (:content_titles.source, :content_titles.target)
)
select c.total, p.key, s.title as source, t.title as target
from (select count(*) as total from found) c
left join lateral (select key from found order by key limit :count offset :offset) p on true
-- include: content_titles
order by p.key
