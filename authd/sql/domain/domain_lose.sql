-- Ends a project's trust in a domain. It can be verified again only with a new token. No row: it is
-- not verified.
-- class: tx
-- in: project uuid, domain text
-- rows: one
with
lost as (
    update project_domain
    set verified_at = null, missing_since = null, token = null, token_expires_at = null,
        by_operator = false
    where project_id = :project and domain = :domain and verified_at is not null
    returning domain
),
-- include: audit(from = lost)
select from lost
