-- Locks a FHIR server before its change, and returns its base URL. No row: the project has no such
-- server.
-- class: tx
-- in: project uuid, id uuid
-- rows: one
-- row: base text
select base from fhir_server where project_id = :project and id = :id for update
