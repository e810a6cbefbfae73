-- Makes messages that wait for a retry due now, up to `most`: a project's or (null) all, created at
-- `since` or later. Writes one audit row. Always returns a row.
-- class: write
-- in: now int8, project uuid null, since int8, most int8
-- rows: one
-- row: total int8
with
due as (
    update message
    set due_at = :now
    where id = any (array(
        select id
        from message
        where state = 'queued' and due_at > :now and lease is null
            and (:project is null or project_id = :project) and created_at >= :since
        limit :most
        for update skip locked
    ))
    returning id
),
-- include: audit(from = (select from due limit 1) one)
select count(*) as total from due
