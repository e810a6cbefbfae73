-- Of each project of a page, those behind a project, the latest `keep` changes of its settings stay:
-- of the others `most` are deleted, and how many there were. The last project of the page; no row:
-- there is none behind it.
-- class: write
-- in: project uuid, keep int8, most int8
-- rows: one
-- row: project uuid, deleted int8
with
page as (
    select id from project where id > :project order by id limit 20
),
deleted as (
    delete from setting_history
    where ctid = any (array(
        select old.ctid
        from page p
        cross join lateral (
            select h.ctid
            from setting_history h
            where h.project_id = p.id
            order by h.version desc, h.name desc
            offset :keep
        ) old
        where
            -- include: not_held(project = p.id)
        limit :most
    ))
    returning 1
)
select id as project, (select count(*) from deleted) as deleted
from page
order by id desc
limit 1
