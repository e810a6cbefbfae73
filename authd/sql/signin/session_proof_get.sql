-- Returns when the session's owner last gave a fresh proof. Without project: a session of the
-- installation's own pages.
-- class: read tx
-- in: project uuid null, session uuid
-- rows: one
-- row: proven_at int8
select coalesce(proven_at, created_at) as proven_at
from session
where project_id = :project and id = :session and end_reason is null
union all
select proven_at
from account_session
where :project is null and id = :session
