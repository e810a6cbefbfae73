-- Returns an ended session's account and reason. No row: unknown.
-- class: read
-- in: project uuid, session uuid
-- rows: one
-- row: profile uuid, reason text null
select profile_id as profile, end_reason as reason
from session
where project_id = :project and id = :session
