-- Adds a client application. No row: the project has 1,000 of them, or does not exist. Runs behind
-- project_lock, because a statement that waits counts what there was when it began to wait.
-- class: tx
-- in: project uuid, id uuid, name text, oauth text, now int8
-- rows: one
-- row: id uuid, name text, settings text, updated_at int8, secret_at int8, previous_until int8, etag text
with
inserted as (
    insert into client (project_id, id, name, oauth, created_at)
    select p.id, :id, :name, :oauth::jsonb, :now
    from project p
    where p.id = :project
        and (select count(*) from client b where b.project_id = :project) < 1000
    returning *
),
-- include: audit(from = inserted)
select
    -- include: client_columns(from = i),
    -- include: row_etag(from = i)
    as etag
from inserted i
