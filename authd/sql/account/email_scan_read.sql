-- Reads the next rows of the audit trail, `count` at most, for verified addresses of before there
-- was a record of them (authd/account/email_scan.h): passwords that were set by a mailed link. One
-- row at least: `first` is the sequence that was come to, `last` that of the last row read (null:
-- there is none), `waiting` says that rows have not got their place in the trail yet, and the
-- others are null where no such password was found. No row: all is read.
-- class: read
-- in: count int8
-- rows: many
-- row: first int8, last int8 null, waiting bool, account text null, project uuid null, at int8 null
with
part as materialized (
    select a.sequence, a.at, a.project_id, a.event
    from audit a
    where a.sequence > (select sequence from email_scan)
    order by a.sequence
    limit :count::int
)
select
    s.sequence as first,
    (select max(sequence) from part) as last,
    exists (select from audit where sequence is null and id <= s.last_id) as waiting,
    p.event->>'account' as account,
    p.project_id as project,
    p.at
from email_scan s
left join part p
    on p.event->>'action' in ('password.set', 'invitation.accept')
    and p.event->>'outcome' = 'success' and p.project_id is not null
where not s.done
