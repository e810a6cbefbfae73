-- Records that an operator vouches for a domain, with or without a row of the project. Runs after
-- name_lock, when no other project has the domain.
-- class: tx
-- in: project uuid, domain text, now int8
-- rows: one
-- row: struct project_domain
with
verified as (
    insert into project_domain (project_id, domain, created_at, verified_at, by_operator)
    values (:project, :domain, :now, :now, true)
    on conflict (project_id, domain) do update
    set verified_at = coalesce(project_domain.verified_at, excluded.verified_at),
        missing_since = null, token = null, token_expires_at = null, by_operator = true
    returning *
),
-- include: audit(from = verified)
select
    -- include: domain_columns(from = d, now = :now)
from verified d
