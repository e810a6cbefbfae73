-- Lists the attempts of a delivery that are kept, newest first.
-- class: read
-- in: project uuid, id uuid, delivery int8
-- rows: many
-- row: struct webhook_attempt
select
    a.at as "at",
    coalesce(a.duration, -1) as duration,
    coalesce(a.status, 0) as status,
    a.error
from webhook_delivery d
cross join lateral (
    select 0 as n, d.tried_at as at, d.duration, d.status, d.error
    where d.tried_at is not null
    union all
    select e.n, v.at, v.duration, v.status, v.error
    from jsonb_array_elements(d.earlier) with ordinality as e (value, n),
        jsonb_to_record(e.value) as v (at bigint, duration int, status int, error text)
) a
where d.project_id = :project and d.webhook_id = :id and d.sequence = :delivery
order by a.n
