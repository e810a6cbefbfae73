-- Cancels an account's scheduled deletion and the scheduled end of its memberships. No row: none is
-- scheduled.
-- class: tx
-- in: account uuid
-- rows: one
with
stayed as (
    update membership
    set end_at = null, end_schedule = null, end_wipe = false
    where account_id = :account and end_at is not null
    returning account_id
),
aborted as (
    update account
    set delete_at = null, delete_schedule = null, delete_wipe = false
    where id = :account and delete_at is not null
    returning id
),
kept as (
    select id from aborted
    union
    select account_id from stayed
),
-- include: audit(from = kept)
select from kept
