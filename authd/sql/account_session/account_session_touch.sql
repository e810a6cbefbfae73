-- Extends a browser's session after its use.
-- class: write
-- in: id uuid, now int8, idle_until int8
-- rows: none
update account_session
set last_updated = :now, idle_until = least(:idle_until, absolute_until)
where id = :id
