-- Deletes ended messages that were created before a time, at most `most` of them.
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
