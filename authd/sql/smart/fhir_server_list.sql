-- The FHIR servers of a project behind the id `after`, in the order of their ids.
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
