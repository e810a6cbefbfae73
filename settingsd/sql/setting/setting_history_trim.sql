-- Takes the next page of projects after `project`, and deletes at most `most` rows of their
-- settings history, keeping the latest `keep` changes of each. Returns how many rows were deleted
-- and the page's last project. No row: no project follows.
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
