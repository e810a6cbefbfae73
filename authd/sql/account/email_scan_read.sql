-- Reads the next audit rows, at most `count`, for verified addresses (authd/account/email_scan.h):
-- passwords that were set with an emailed link. Returns at least one row: `first` is the sequence
-- to read from, `last` the last one read (null: none), `waiting` says that rows are not yet in the
-- chain, and the rest is null without such a password. No row: everything is read.
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
