-- Takes the scheduled deletion of an account back. No row: none is scheduled.
-- class: tx
-- in: account uuid
-- rows: one
with
aborted as (
    update account
    set delete_at = null, delete_schedule = null, delete_wipe = false
    where id = :account and delete_at is not null
    returning id
),
-- include: audit(from = aborted)
select from aborted
