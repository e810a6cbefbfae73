-- The session that a browser holds by its cookie, and the membership that it is of. No row: it
-- holds none in this project.
-- class: read
-- in: project uuid, cookie_hash bytea, now int8
-- rows: one
-- row: session uuid, membership uuid, used_at int8
select s.id as session, s.membership_id as membership, s.last_updated as used_at
from session s
where s.project_id = :project and s.cookie_hash = :cookie_hash and
    -- include: session_valid(session = s, now = :now)
