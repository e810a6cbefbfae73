-- Returns an access policy. No row: not found.
-- class: read
-- in: project uuid, id uuid
-- rows: one
-- row: struct access_policy
select
    -- include: policy_columns(from = a),
    -- include: row_etag(from = a)
    as etag
from access_policy a
where a.project_id = :project and a.id = :id
