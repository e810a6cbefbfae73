-- Deletes up to `most` executions of a page of bots, except each bot's newest 1,000. Returns the
-- last bot of the page and how many there were to delete. No row: no bot follows.
-- class: write
-- in: project uuid, bot uuid, most int8
-- rows: one
-- row: project uuid, bot uuid, deleted int8
with
page as (
    select project_id, id
    from bot
    where (project_id, id) > (:project, :bot)
    order by project_id, id
    limit 100
),
deleted as (
    delete from execution
    where ctid = any (array(
        select old.ctid
        from page p
        cross join lateral (
            select e.ctid
            from execution e
            where e.project_id = p.project_id and e.bot_id = p.id
            order by e.id desc
            offset 1000
        ) old
        where
            -- include: not_held(project = p.project_id)
        limit :most
    ))
    returning 1
)
select project_id as project, id as bot, (select count(*) from deleted) as deleted
from page
order by project_id desc, id desc
limit 1
