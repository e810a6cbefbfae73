-- Returns a project's sign-ins in each of 25 hours from `since` on, including empty hours.
-- class: read
-- in: project uuid, since int8
-- rows: many
-- row: struct sign_in_hour
select
    :since + 3600000 * n as hour,
    coalesce(s.succeeded, 0) as succeeded,
    coalesce(s.failed, 0) as failed
from generate_series(0::bigint, 24) n
left join trail_sign_in s on s.project_id = :project and s.hour = :since + 3600000 * n
order by n
