-- Counts a wrong code; the fifth ends the sign-in. No row: the sign-in has expired, was completed
-- or has had five.
-- class: tx
-- in: id_hash bytea, now int8
-- rows: one
with
counted as (
    update mail_code
    set failures = failures + 1
    where id_hash = :id_hash and failures < 5 and
        -- include: not_expired(column = expires_at, now = :now)
    returning 1
)
select from counted
