-- The sign-ins of a project in each of 25 hours from `since` on, by their rows in the trail. Hours
-- without one are there. Rows are nearly in the order of their times: `place` is the last that is
-- older, found from the project's end on, and the rows behind it are counted. So the rows of the
-- project's last day are read twice, by audit_project, and none of another project: of a tenant
-- with 100,000 sign-ins a day about COST.
-- class: read
-- in: project uuid, since int8
-- rows: many
-- row: struct sign_in_hour
with
place as (
    select coalesce((
        select sequence
        from audit
        where project_id = :project and sequence is not null and at < :since
        order by sequence desc
        limit 1
    ), 0) as sequence
),
counted as (
    select
        (at - :since) / 3600000 as n,
        count(*) filter (where event ->> 'outcome' = 'success') as succeeded,
        count(*) filter (where event ->> 'outcome' = 'failure') as failed
    from audit
    where project_id = :project and sequence > (select sequence from place)
        and sequence is not null and at >= :since and event ->> 'action' = 'session.create'
    group by (at - :since) / 3600000
)
select
    :since + 3600000 * h.n as hour,
    coalesce(c.succeeded, 0) as succeeded,
    coalesce(c.failed, 0) as failed
from generate_series(0::bigint, 24) h (n)
left join counted c on c.n = h.n
order by h.n
