-- Deletes deliveries that ended before a time, up to `most`.
-- class: write
-- in: before int8, most int8
-- rows: none
delete from webhook_delivery
where ctid = any (array(
    select ctid
    from webhook_delivery
    where state <> 'waiting' and ended_at < :before
    order by ended_at
    limit :most
))
