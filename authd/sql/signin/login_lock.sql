-- Locks a login that waits for a second factor, so that each of several concurrent codes is
-- counted. No row: unknown, expired, already confirmed, or ended by five wrong codes.
-- class: tx
-- in: id uuid, now int8
-- rows: one
select
from login l
where l.id = :id and
    -- include: login_waits(now = :now)
for update
