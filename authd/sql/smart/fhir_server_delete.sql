-- Deletes a FHIR server. No row: the project has no such server.
-- class: tx
-- in: project uuid, id uuid
-- rows: one
-- row: id uuid
with
deleted as (
    delete from fhir_server where project_id = :project and id = :id returning id
),
-- include: audit(from = deleted)
select id from deleted
