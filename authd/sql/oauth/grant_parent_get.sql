-- Returns a grant's account, and the session with which it ends (null: none). No row: the grant is
-- unknown.
-- class: read
-- in: project uuid, session uuid
-- rows: one
-- row: account uuid, parent uuid null
select s.account_id as account, g.parent_id as parent
from oauth_grant g
join session s on s.project_id = g.project_id and s.id = g.session_id
where g.project_id = :project and g.session_id = :session
