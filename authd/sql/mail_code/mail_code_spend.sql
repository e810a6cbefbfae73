-- Uses an emailed code; of several requests with it, one gets the row. No row: the code is wrong,
-- or the sign-in has expired, was completed or has had five wrong codes.
-- class: tx
-- in: id_hash bytea, code_hash bytea, now int8
-- rows: one
with
spent as (
    delete from mail_code
    where id_hash = :id_hash and code_hash = :code_hash and account_id is not null and failures < 5 and
        -- include: not_expired(column = expires_at, now = :now)
    returning 1
)
select from spent
