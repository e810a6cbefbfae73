-- Whose a session was, and why it has ended. No row: it is not known any more.
-- class: read
-- in: project uuid, session uuid
-- rows: one
-- row: profile uuid, reason text null
select profile_id as profile, end_reason as reason
from session
where project_id = :project and id = :session
