-- Deletes up to `most` executions that began before a time, oldest first.
-- class: write
-- in: before int8, most int8
-- rows: none
delete from execution
where ctid = any (array(
    select ctid
    from execution
    where started_at < :before
        and
        -- include: not_held(project = execution.project_id)
    order by started_at
    limit :most
))
