-- Returns the FHIR server with a base URL. No row: the project has no such server.
-- class: read
-- in: project uuid, base text
-- rows: one
-- row: struct fhir_server
select
    -- include: fhir_server_columns(from = s)
from fhir_server s
where project_id = :project and base = :base
