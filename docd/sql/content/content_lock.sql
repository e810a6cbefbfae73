-- Locks the keys of entries until the transaction ends, and adds missing ones.
-- class: tx
-- in: project uuid, entries text
-- rows: none
insert into content (project_id, type, key, languages)
select :project, e.type, e.key, array_agg(distinct e.language order by e.language)
from
    -- include: content_entries(entries = :entries)
group by e.type, e.key
order by e.type, e.key
on conflict (project_id, type, key)
    do update
    set languages = array(
        select distinct unnest(content.languages || excluded.languages) order by 1
    )
    where not content.languages @> excluded.languages
