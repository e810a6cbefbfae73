-- Adds an access policy. No row: the project does not exist. Runs between project_lock and
-- access_policy_size.
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
    returning *
),
-- include: audit(from = inserted)
select
    -- include: policy_columns(from = a),
    -- include: row_etag(from = a)
    as etag
from inserted a
