-- Returns a grant's person and client. No row: the grant is unknown or has ended.
-- class: read
-- in: project uuid, session uuid
-- rows: one
-- row: account uuid, client_id text
select s.account_id as account, g.client_id
from oauth_grant g
join session s on s.project_id = g.project_id and s.id = g.session_id
where g.project_id = :project and g.session_id = :session and s.end_reason is null
