-- Returns a finished export. No row: none, or it has expired.
-- class: read
-- in: project uuid, id uuid, now int8
-- rows: one
-- row: account uuid, asked_by uuid, object uuid, key_sealed bytea, size int8, expires_at int8
select
    account_id as account, asked_by, object_id as object, key_sealed, size, expires_at
from export
where project_id = :project and id = :id and state = 'ready' and expires_at > :now
