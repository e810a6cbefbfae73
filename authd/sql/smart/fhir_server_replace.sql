-- Replaces a FHIR server's registration. No row: the project has no such server.
-- class: tx
-- in: project uuid, id uuid, name text, base text, patient_scopes text[], practitioner_scopes text[]
-- in: now int8
-- rows: one
-- row: struct fhir_server
with
replaced as (
    update fhir_server
    set name = :name, base = :base, patient_scopes = :patient_scopes,
        practitioner_scopes = :practitioner_scopes, updated_at = :now
    where project_id = :project and id = :id
    returning *
),
-- include: audit(from = replaced)
select
    -- include: fhir_server_columns(from = r)
from replaced r
