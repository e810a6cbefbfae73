-- Returns a project's FHIR servers by id, after the id `after`.
-- class: read
-- in: project uuid, after uuid null, most int8
-- rows: many
-- row: struct fhir_server
select
    -- include: fhir_server_columns(from = s)
from fhir_server s
where project_id = :project and (:after::uuid is null or id > :after)
order by project_id, id
limit :most
