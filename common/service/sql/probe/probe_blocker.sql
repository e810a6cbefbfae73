-- Finds the process that blocks most of this role's waiting statements without waiting itself.
-- Returns the start of its statement (ms since the epoch; null if hidden from the role), the table,
-- the number of waiting statements, and the first one's wait (ms).
-- class: vital
-- rows: one
-- row: pid int8, application text, query_started int8 null, locked text null, waiting int8, waited_ms int8
select
    b.pid::int8 as pid,
    coalesce(max(a.application_name), '') as application,
    (extract(epoch from max(a.query_start)) * 1000)::int8 as query_started,
    max(t.name) as locked,
    count(*) as waiting,
    (extract(epoch from clock_timestamp() - min(w.since)) * 1000)::int8 as waited_ms
from (
    select l.pid, min(l.waitstart) as since
    from pg_locks l
    join pg_stat_activity s on s.pid = l.pid and s.usename = current_user
    where not l.granted
    group by l.pid
) w
cross join lateral unnest(pg_blocking_pids(w.pid)) b (pid)
left join lateral (
    select l.relation::regclass::text as name
    from pg_locks l
    where l.pid = w.pid and l.relation is not null and (not l.granted or l.locktype = 'tuple')
    limit 1
) t on true
left join pg_stat_activity a on a.pid = b.pid
where not exists (select from pg_locks l where l.pid = b.pid and not l.granted)
group by b.pid
order by count(*) desc, b.pid
limit 1
