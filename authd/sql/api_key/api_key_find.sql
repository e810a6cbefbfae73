-- Finds an API key by its hash. No row: there is no such key, it was revoked or it has expired.
-- class: read
-- in: hash bytea, now int8
-- rows: one
-- row: project uuid, id uuid, expires int8
select project_id as project, id, expires_at as expires
from api_key
where hash = :hash and revoked_at is null and expires_at > :now
