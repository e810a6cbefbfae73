-- Records what a passkey of before opens, with the mail to its owner when that is nothing. Nothing
-- is written: another request has recorded it.
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
