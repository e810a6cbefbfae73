-- Schedules the end of an account's memberships in these projects. `replaces`: an earlier schedule.
-- No row: there are none any more.
-- class: tx
-- in: account uuid, projects uuid[], at int8, schedule uuid, wipe bool
-- rows: one
-- row: replaces uuid null
with
former as materialized (
    select id, project_id, end_schedule
    from membership
    where account_id = :account and project_id = any (:projects)
    order by id
    for update
),
scheduled as (
    update membership m
    set end_at = :at, end_schedule = :schedule, end_wipe = :wipe
    from former f
    where m.project_id = f.project_id and m.id = f.id
    returning m.id
),
one as (
    select from scheduled limit 1
),
-- include: audit(from = one)
select (select end_schedule from former where end_schedule is not null limit 1) as replaces
from one
