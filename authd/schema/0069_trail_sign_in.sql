-- The sign-ins of a project in an hour, for its admins. They are counted as the rows of the trail become leaves, so that no
-- sign-in waits for the row of its hour and none is counted twice. What an authd without this file makes leaves of is
-- not counted.
create table trail_sign_in (
    project_id  uuid not null,
    hour        bigint not null,            -- its first ms, contract time
    succeeded   bigint not null,
    failed      bigint not null,
    primary key (project_id, hour)
) with (fillfactor = 70);
create index trail_sign_in_hour on trail_sign_in (hour);

-- Of the last day, those that are leaves already. Rows are nearly in the order of their times: from the end on they are read
-- until one is older.
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
