-- Deletes the passkeys of an account that were added at `since` or later: another person may have
-- added them.
-- class: tx
-- in: account uuid, since int8
-- rows: none
with
deleted as (
    delete from passkey
    where account_id = :account and created_at >= :since
    returning id
),
gone as (
    select from deleted limit 1
),
-- include: audit(from = gone)
select
