-- Replaces an access policy. No row: not found, or its entity tag is not `etag`, if given. Runs
-- between project_lock and access_policy_size.
-- class: tx
-- in: project uuid, id uuid, etag text null, name text, resource text, ip_access_rule text null, now int8
-- rows: one
-- row: struct access_policy
with
updated as (
    update access_policy a
    set name = :name, resource = :resource::json, ip_access_rule = :ip_access_rule::json,
        updated_at = :now
    where a.project_id = :project and a.id = :id and (
        :etag is null or :etag =
            -- include: row_etag(from = a)
    )
    returning *
),
-- include: outbox(from = updated),
-- include: audit(from = updated)
select
    -- include: policy_columns(from = a),
    -- include: row_etag(from = a)
    as etag
from updated a
