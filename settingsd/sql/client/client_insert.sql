-- Adds a client application. No row: the project has 1,000 of them, or does not exist. Runs behind
-- project_lock, because a statement that waits counts what there was when it began to wait.
-- class: tx
-- in: project uuid, id uuid, name text, oauth text, now int8
-- rows: one
-- row: row client
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
    -- include: client(from = i)
from inserted i
