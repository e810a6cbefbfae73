-- Adds a token. No row: the project has two that are valid. Runs after name_lock, because a
-- statement that waits counts the rows from before its wait.
-- class: tx
-- in: project uuid, id uuid, name text, hash bytea, addresses text[], membership uuid
-- in: now int8, expires int8
-- rows: one
-- row: struct scim_token
with
inserted as (
    insert into scim_token (
        project_id, id, name, hash, addresses, created_by, created_at, expires_at
    )
    select :project, :id, :name, :hash, :addresses, :membership, :now, :expires
    where (select count(*) from scim_token where project_id = :project and expires_at > :now) < 2
    returning *
),
-- include: audit(from = inserted)
select
    -- include: scim_token_columns(from = i)
from inserted i
