-- Withdraws what an account lets clients do since `since`: another person may have let them in.
-- Their codes under way are void, and devices that have not come for their tokens are denied.
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
