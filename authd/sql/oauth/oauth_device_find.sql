-- Returns the waiting device with a user code. No row: none, or expired.
-- class: read
-- in: project uuid, user_hash bytea, now int8
-- rows: one
-- row: client_id text, scope text, resource text null, address text
select client_id, scope, resource, address
from oauth_device
where project_id = :project and user_hash = :user_hash and state = 'waiting' and expires_at > :now
