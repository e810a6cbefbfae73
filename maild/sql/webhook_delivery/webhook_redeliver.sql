-- Repeats ended deliveries of a webhook: one or (null) the first failed ones, up to `most`. Makes one
-- that waits for its retry due now; it keeps its attempts and the end of its three days. No row: no
-- such webhook.
-- class: write
-- in: project uuid, id uuid, delivery int8 null, now int8, most int8
-- rows: one
-- row: count int8
with
target as (
    select id, project_id from webhook where project_id = :project and id = :id
),
again as (
    update webhook_delivery
    set state = 'waiting',
        attempts = case when state = 'waiting' then attempts else 0 end,
        created_at = case when state = 'waiting' then created_at else :now end,
        due_at = :now,
        ended_at = null
    where project_id = :project and webhook_id = :id and sequence = any (array(
        select sequence
        from webhook_delivery
        where project_id = :project and webhook_id = :id and sequence = :delivery
            and (state <> 'waiting' or attempts > 0) and exists (select from target)
        union all
        select *
        from (
            select sequence
            from webhook_delivery
            where webhook_id = :id and state = 'failed' and :delivery::int8 is null
                and exists (select from target)
            order by webhook_id, sequence
            limit :most
        ) f
    ))
    returning 1
),
-- include: webhook_wake(from = (select * from target where exists (select from again)) t),
-- include: audit(from = target)
select (select count(*) from again) as count from target
