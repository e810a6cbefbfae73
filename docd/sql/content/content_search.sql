-- Lists like content_list, only keys that the words `wanted` and the code (null: any) find. A key
-- equal to the search text comes first, the others follow by rank. Compares at most 500
-- translations, which also limits the total.
-- class: read
-- in: search text, wanted text[], code text null, todo text null, count int8, offset int8
-- rows: many
-- row: struct content_titles
with
hit as (
    select *
    from content_search(
        :content_titles.project, :content_titles.type,
        array[:content_titles.source, :content_titles.target], :wanted, :code, 500
    )
    union all
    select t.key, 'infinity'
    from content_translation t
    where t.project_id = :content_titles.project and t.type = :content_titles.type
        and t.key = trim(:search)
        and t.language in (:content_titles.source, :content_titles.target)
        and (:code is null or t.code = :code)
),
found as materialized (
    select h.key, max(h.rank) as rank
    from hit h
    join content c
        on c.project_id = :content_titles.project and c.type = :content_titles.type
            and c.key = h.key
    where
        -- include: content_todo(todo = :todo, source = :content_titles.source,
        --     target = :content_titles.target)
    group by h.key
    order by rank desc, h.key
    limit 500
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
left join lateral (
    select * from found order by rank desc, key limit :count offset :offset
) p on true
-- include: content_titles
order by p.rank desc, p.key
