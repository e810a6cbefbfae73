-- The FHIR server at a base address, when no other transaction changes it any more. No row: the
-- project has no such one.
-- class: write
-- in: project uuid, base text
-- rows: one
-- row: struct fhir_server
select
    -- include: fhir_server_columns(from = s)
from fhir_server s
where project_id = :project and base = :base
for share
