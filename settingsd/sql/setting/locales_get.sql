-- Returns a project's languages, separated by commas, and its default language. No row: project not
-- found.
-- class: read
-- in: project uuid
-- rows: one
-- row: version int8, languages text, default_language text, etag text
select
    version,
    array_to_string(languages, ',') as languages,
    default_language,
    -- include: row_etag(from = (languages, default_language))
    as etag
from project
where id = :project
