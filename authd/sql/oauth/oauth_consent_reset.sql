-- Withdraws an account's consents given since `since`, perhaps by another person. Voids their
-- unused codes, and denies devices that have not got their tokens.
-- class: tx
-- in: account uuid, since int8, now int8
-- rows: none
with
deleted as (
    delete from oauth_consent
    where account_id = :account and updated_at >= :since
    returning 1
),
some_deleted as (
    select from deleted limit 1
),
voided as (
    update oauth_code
    set used_at = :now
    where account_id = :account and used_at is null
),
denied as (
    update oauth_device
    set state = 'denied'
    where account_id = :account and state = 'approved'
),
-- include: audit(from = some_deleted)
select
