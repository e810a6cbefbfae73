-- Finds the document whose file this object is, and whether its bytes are missing.
-- class: read
-- in: project uuid, object uuid
-- rows: one
-- row: id uuid, size int8, missing bool
select id, size, missing_at is not null as missing
from document
where project_id = :project and object_id = :object
limit 1
