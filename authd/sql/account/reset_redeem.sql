-- Redeems a link to set a password; of two requests, one gets the row. No row: the link was
-- redeemed or replaced or has expired.
-- class: tx
-- in: id uuid, secret_hash bytea, now int8
-- rows: one
with
redeemed as (
    delete from password_reset
    where id = :id and secret_hash = :secret_hash and
        -- include: not_expired(column = expires_at, now = :now)
    returning account_id
),
-- include: audit(from = redeemed)
select from redeemed
