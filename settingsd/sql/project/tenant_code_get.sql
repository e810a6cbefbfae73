-- The tenant code of a project. No row: it has none.
-- class: read
-- in: project uuid
-- rows: one
-- row: struct organization_code_out
select code, project_id as "projectId" from tenant_code where project_id = :project
