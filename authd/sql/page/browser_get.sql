-- Finds the session of a browser's cookie in a project, with its membership. No row: none.
-- class: read
-- in: project uuid, cookie_hash bytea, now int8
-- rows: one
-- row: session uuid, membership uuid, used_at int8
select s.id as session, s.membership_id as membership, s.last_updated as used_at
from session s
where s.project_id = :project and s.cookie_hash = :cookie_hash and
    -- include: session_valid(session = s, now = :now)
