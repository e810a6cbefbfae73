-- Deletes jobs completed before a time, up to `most`.
-- class: write
-- in: before int8, most int8
-- rows: none
delete from job
where id = any (array(
    select id
    from job
    where state = 'done' and done_at < :before
        and
        -- include: not_held(project = job.project_id)
    order by done_at
    limit :most
))
