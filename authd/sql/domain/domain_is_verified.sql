-- Returns whether a project has verified a domain.
-- class: read
-- in: project uuid, domain text
-- rows: one
-- row: verified bool
select exists (
    select
    from project_domain
    where project_id = :project and domain = :domain and verified_at is not null
) as verified
