-- Adds a client application. No row: the project has 1,000, or does not exist. Runs after
-- project_lock, because a waiting statement counts the rows at its start.
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
