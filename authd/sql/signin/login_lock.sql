-- Locks a login that waits for a second factor, so that of several codes entered at once each is
-- counted. No row: the login does not exist, has expired, was confirmed already, or five wrong
-- codes have ended it.
-- class: tx
-- in: id uuid, now int8
-- rows: one
select
from login l
where l.id = :id and
    -- include: login_waits(now = :now)
for update
