-- Returns a project's account policy as JSON, or null if not set. No row: project not found.
-- class: read
-- in: project uuid
-- rows: one
-- row: account_policy text null, version int8, etag text
select account_policy::text, version, '"' || version || '"' as etag
from project
where id = :project
