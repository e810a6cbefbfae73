-- Adds an access policy. No row: the project has 1,000 of them, or does not exist. Runs behind
-- project_lock, because a statement that waits counts what there was when it began to wait.
-- class: tx
-- in: project uuid, id uuid, name text, resource text, ip_access_rule text null, now int8
-- rows: one
-- row: struct access_policy
with
inserted as (
    insert into access_policy (
        project_id, id, name, resource, ip_access_rule, created_at, updated_at
    )
    select p.id, :id, :name, :resource::json, :ip_access_rule::json, :now, :now
    from project p
    where p.id = :project
        and (select count(*) from access_policy b where b.project_id = :project) < 1000
    returning *
),
-- include: audit(from = inserted)
select
    -- include: policy_columns(from = a),
    -- include: row_etag(from = a)
    as etag
from inserted a
