-- The base address of a FHIR server that is about to change, which waits. No row: the project has
-- no such one.
-- class: tx
-- in: project uuid, id uuid
-- rows: one
-- row: base text
select base from fhir_server where project_id = :project and id = :id for update
