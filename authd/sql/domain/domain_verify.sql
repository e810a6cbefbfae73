-- Records that DNS showed a domain's token. No row: the token was replaced, or the domain deleted.
-- Runs after name_lock, when no other project has the domain.
-- class: tx
-- in: project uuid, domain text, token text, now int8
-- rows: one
-- row: struct project_domain
with
verified as (
    update project_domain
    set verified_at = :now, checked_at = :now, missing_since = null
    where project_id = :project and domain = :domain and token = :token and verified_at is null
    returning *
),
-- include: audit(from = verified)
select
    -- include: domain_columns(from = d, now = :now)
from verified d
