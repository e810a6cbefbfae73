-- Adds an API key. No row: the project has 50. Runs after name_lock, because a statement that
-- waits counts the rows from before its wait. Of the project's revoked keys, which are kept for a
-- day, keeps the latest 200.
-- class: tx
-- in: project uuid, id uuid, name text, hash bytea, policy uuid, addresses text[]
-- in: membership uuid, profile uuid, now int8, expires int8
-- rows: one
-- row: struct api_key
with
revoked_deleted as (
    delete from api_key
    where project_id = :project and id = any (array(
        select id
        from api_key
        where project_id = :project and revoked_at is not null
        order by revoked_at desc
        offset 200
    ))
),
inserted as (
    insert into api_key (
        project_id, id, name, hash, policy_id, addresses, created_by, profile_id, created_at,
        expires_at
    )
    select
        :project, :id, :name, :hash, :policy, :addresses, :membership, :profile, :now, :expires
    where (select count(*) from api_key where project_id = :project and revoked_at is null) < 50
    returning *
),
-- include: audit(from = inserted)
select
    -- include: api_key_columns(from = i)
from inserted i
