-- A project's sign-ins per hour, for its admins. Counted when audit rows become leaves, so that no
-- sign-in waits for its hour's row and none counts twice. Leaves of an authd without this file are
-- not counted.
create table trail_sign_in (
    project_id  uuid not null,
    hour        bigint not null,            -- first ms, contract time
    succeeded   bigint not null,
    failed      bigint not null,
    primary key (project_id, hour)
) with (fillfactor = 70);
create index trail_sign_in_hour on trail_sign_in (hour);

-- The last day's leaves. Rows are nearly in the order of time, so this reads from the end until one
-- is older.
with bounds as (
    select
        since,
        (select sequence from trail_source where daemon = 'authd') as last,
        coalesce((
            select sequence from audit where sequence is not null and at < since order by sequence desc limit 1
        ), 0) as first
    from (select extract(epoch from now())::bigint * 1000 - 90000000 as since) s
)
insert into trail_sign_in (project_id, hour, succeeded, failed)
select
    project_id, at - at % 3600000,
    count(*) filter (where event ->> 'outcome' = 'success'),
    count(*) filter (where event ->> 'outcome' <> 'success')
from audit, bounds
where sequence > first and sequence <= last and at >= since
    and project_id is not null and event ->> 'action' = 'session.create'
    and coalesce(event ->> 'detail', '') not in ('oauth', 'device')
group by project_id, at - at % 3600000;
