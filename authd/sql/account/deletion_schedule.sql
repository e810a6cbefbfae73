-- Schedules the deletion of an account that deletion_begin has locked. `wipe`: also erase what it
-- owns in its projects.
-- class: tx
-- in: account uuid, delete_at int8, schedule uuid, wipe bool
-- rows: one
with
scheduled as (
    update account
    set delete_at = :delete_at, delete_schedule = :schedule, delete_wipe = :wipe
    where id = :account
    returning id
),
-- include: audit(from = scheduled)
select from scheduled
