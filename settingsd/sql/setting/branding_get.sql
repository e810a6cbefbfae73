-- Returns a project's branding as JSON or null, and its languages, separated by commas. No row:
-- project not found.
-- class: read
-- in: project uuid
-- rows: one
-- row: branding text null, languages text, version int8, etag text
select
    branding::text,
    array_to_string(languages, ',') as languages,
    version,
    '"' || version || '"' as etag
from project
where id = :project
