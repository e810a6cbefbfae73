-- Lists a project's failed emails, except dropped ones, before (`before`, `before_id`), newest
-- first.
-- class: read
-- in: project uuid, before int8, before_id uuid, most int8
-- rows: many
-- row: struct mail_failure
select
    id,
    template,
    case state when 'dead' then 'failed' else 'retrying' end as state,
    last_error as error,
    attempts,
    created_at as "createdAt",
    coalesce(tried_at, 0) as "triedAt",
    case when state = 'queued' and lease is null then due_at else 0 end as "nextAt"
from message
where project_id = :project and state in ('queued', 'dead') and last_error is not null
    and (created_at, id) < (:before, :before_id)
order by project_id desc, created_at desc, id desc
limit :most
