-- Adds a group. No row: the project has 1,000. Runs after name_lock, because a statement that waits
-- counts the rows from before its wait.
-- class: tx
-- in: project uuid, id uuid, display_name text, external_id text null, now int8
-- rows: one
with
inserted as (
    insert into scim_group (project_id, id, display_name, external_id, created_at)
    select :project, :id, :display_name, :external_id, :now
    where (select count(*) from scim_group where project_id = :project) < 1000
    returning id
),
-- include: audit(from = inserted)
select from inserted
