-- Notes that a browser has used its session, which lives on from here.
-- class: write
-- in: id uuid, now int8, idle_until int8
-- rows: none
update account_session
set last_updated = :now, idle_until = least(:idle_until, absolute_until)
where id = :id
