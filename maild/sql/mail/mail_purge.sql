-- Deletes ended messages created before a time, up to `most`.
-- class: write
-- in: before int8, most int8
-- rows: none
delete from message
where id = any (array(
    select id
    from message
    where state <> 'queued' and created_at < :before
    order by created_at
    limit :most
))
