-- Returns the time at which an import last created accounts. Each import changes it.
-- class: read
-- rows: one
-- row: changed int8
select changed_at as changed
from import_state
where single
