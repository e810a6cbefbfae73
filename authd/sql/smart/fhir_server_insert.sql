-- Adds a FHIR server. No row: the project has 20. Runs after name_lock, because a statement
-- that waits counts the rows from before its wait.
-- class: tx
-- in: project uuid, id uuid, name text, base text, patient_scopes text[], practitioner_scopes text[]
-- in: now int8
-- rows: one
-- row: struct fhir_server
with
inserted as (
    insert into fhir_server (
        project_id, id, name, base, patient_scopes, practitioner_scopes, created_at, updated_at
    )
    select :project, :id, :name, :base, :patient_scopes, :practitioner_scopes, :now, :now
    where (select count(*) from fhir_server where project_id = :project) < 20
    returning *
),
-- include: audit(from = inserted)
select
    -- include: fhir_server_columns(from = i)
from inserted i
