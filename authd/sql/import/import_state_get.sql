-- When an import has last made accounts; another value each time.
-- class: read
-- rows: one
-- row: changed int8
select changed_at as changed
from import_state
where single
