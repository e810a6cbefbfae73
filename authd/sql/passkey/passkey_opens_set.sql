-- Records what an older passkey opens, with an email to its owner if that is nothing. Does nothing
-- if it is already recorded.
-- class: write
-- in: passkey uuid, opens uuid
-- rows: none
with
settled as (
    update passkey
    set opens_id = :opens
    where id = :passkey and opens_id is null
    returning 1
),
-- include: outbox as mail(from = settled)
select
