-- Returns the ids that have no object.
-- class: read
-- in: ids uuid[]
-- rows: many
-- row: id uuid
select given.id
from unnest(:ids) given (id)
where not exists (select from object o where o.id = given.id)
