-- Returns a tenant code's project, with its branding as JSON if requested. No row: not found.
-- class: read
-- in: code text, branding bool
-- rows: one
-- row: branding_json text null, project row tenant
select
    case when :branding then p.branding::text end as branding_json,
    -- include: tenant
from tenant_code c
join project p on p.id = c.project_id
-- include: project_tree
where c.code = :code
