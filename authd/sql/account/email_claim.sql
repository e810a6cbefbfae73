-- Locks an account and records that its address is verified for an organization (null: all).
-- No row: it was verified there before, so everything in the account is its owner's.
-- class: tx
-- in: account uuid, organization uuid null, now int8
-- rows: one
with
locked as materialized (
    select id from account where id = :account for no key update
),
unverified as (
    select id
    from locked
    where not
        -- include: email_is_verified(account = locked.id, organization = :organization)
),
-- include: email_verified_insert as email_verified(account = u.id, organization = :organization, now = :now, from = unverified u),
-- include: audit(from = email_verified_inserted)
select from email_verified_inserted
