-- The sign-ins of a project in each of 25 hours from `since` on, by their rows in the trail.
-- Hours without one are there. The session that an application gets of a person who is signed in
-- on the pages ("oauth", "device") is none. Rows are nearly in the order of their times, so they
-- are read from the project's end on, 1,000 at a time, until one is older: those of the
-- project's last day and 999 more at most, and none of another project. 100,000 sign-ins a day
-- took 1.3 s and 24,000 buffers on two busy cores, 4,000 took 60 ms. The project is compared as
-- part of a row, in order, because by its equality alone the planner may as well walk
-- audit_sequence, which has the rows of all projects.
-- class: read
-- in: project uuid, since int8
-- rows: many
-- row: struct sign_in_hour
with recursive
walk (sequence, at, good, is_last) as (
    select 9223372036854775807, :since, null::bool, true
    union all
    select r.sequence, r.at, r.good, r.place = 1000
    from walk w
    cross join lateral (
        select
            p.sequence,
            p.at,
            case when p.event ->> 'action' = 'session.create'
                and coalesce(p.event ->> 'detail', '') not in ('oauth', 'device')
                then p.event ->> 'outcome' = 'success'
            end as good,
            row_number() over (order by p.sequence desc) as place
        from (
            select a.sequence, a.at, a.event
            from audit a
            where (a.project_id, a.sequence) > (:project, 0)
                and (a.project_id, a.sequence) < (:project, w.sequence)
                and a.sequence is not null
            order by a.project_id desc, a.sequence desc
            limit 1000
        ) p
    ) r
    where w.is_last and w.at >= :since
),
counted as (
    select
        (at - :since) / 3600000 as n,
        count(*) filter (where good) as succeeded,
        count(*) filter (where not good) as failed
    from walk
    where good is not null and at >= :since
    group by (at - :since) / 3600000
)
select
    :since + 3600000 * h.n as hour,
    coalesce(c.succeeded, 0) as succeeded,
    coalesce(c.failed, 0) as failed
from generate_series(0::bigint, 24) h (n)
left join counted c on c.n = h.n
order by h.n
