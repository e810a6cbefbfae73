-- Returns a project's tenant code. No row: none.
-- class: read
-- in: project uuid
-- rows: one
-- row: struct organization_code_out
select code, project_id as "projectId" from tenant_code where project_id = :project
