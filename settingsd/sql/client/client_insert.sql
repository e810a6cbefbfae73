-- Adds a client application. No row: the project has 1,000 of them, or does not exist. Runs behind
-- project_lock, because a statement that waits counts what there was when it began to wait.
-- class: tx
-- in: project uuid, id uuid, name text, now int8
-- rows: one
-- row: struct client
with
inserted as (
    insert into client (project_id, id, name, created_at)
    select p.id, :id, :name, :now
    from project p
    where p.id = :project
        and (select count(*) from client b where b.project_id = :project) < 1000
    returning id, name, created_at as "lastUpdated"
),
-- include: audit(from = inserted)
select * from inserted
