-- Replaces an access policy. No row: the project has no such one.
-- class: write
-- in: project uuid, id uuid, name text, resource text, ip_access_rule text null, now int8
-- rows: one
-- row: struct access_policy
with
updated as (
    update access_policy
    set name = :name, resource = :resource::json, ip_access_rule = :ip_access_rule::json,
        updated_at = :now
    where project_id = :project and id = :id
    returning *
),
-- include: outbox(from = updated),
-- include: audit(from = updated)
select
    -- include: policy_columns(from = a)
from updated a
