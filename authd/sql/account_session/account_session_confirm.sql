-- Opens a session under a new cookie, after its emailed code.
-- class: tx
-- in: id uuid, cookie_hash bytea, now int8, idle_until int8
-- rows: one
with
confirmed as (
    update account_session
    set code_hash = null, cookie_hash = :cookie_hash, last_updated = :now,
        idle_until = least(:idle_until, absolute_until)
    where id = :id
    returning id
),
-- include: audit(from = confirmed)
select from confirmed
