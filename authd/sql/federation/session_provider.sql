-- Returns a session's identity provider. Null: no provider made the session.
-- class: read
-- in: project uuid, session uuid
-- rows: one
-- row: provider uuid null
select (select i.provider_id from identity i where i.id = s.identity_id) as provider
from session s
where s.project_id = :project and s.id = :session and s.end_reason is null
