-- Returns a client application with its secrets' hashes. No row: not found.
-- class: read
-- in: project uuid, id uuid
-- rows: one
-- row: name text, settings text, secret_hash bytea null, previous_hash bytea null, previous_until int8
select
    name, coalesce(oauth, '{}')::text as settings, secret_hash, previous_hash,
    coalesce(previous_until, 0) as previous_until
from client
where project_id = :project and id = :id
