-- When the owner of a session has last proven to be that.
-- class: read tx
-- in: project uuid, session uuid
-- rows: one
-- row: proven_at int8
select coalesce(proven_at, created_at) as proven_at
from session
where project_id = :project and id = :session and end_reason is null
