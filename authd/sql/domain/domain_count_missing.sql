-- Counts verified domains whose record is missing.
-- class: read
-- rows: one
-- row: count int8
select count(*) as count
from project_domain
where verified_at is not null and not by_operator and missing_since is not null
