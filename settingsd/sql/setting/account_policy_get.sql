-- The account policy of a project, as JSON; null when none was ever written. No row: there is no
-- such project.
-- class: read
-- in: project uuid
-- rows: one
-- row: account_policy text null, version int8, etag text
select account_policy::text, version, '"' || version || '"' as etag
from project
where id = :project
