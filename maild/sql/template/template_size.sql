-- How many templates a project has besides the one of that name and language, and their bytes.
-- class: read
-- in: project uuid, name text, language text
-- rows: one
-- row: templates int8, bytes int8
select
    count(*) as templates,
    coalesce(
        sum(octet_length(subject) + coalesce(octet_length(html), 0) + octet_length(text)), 0
    )::bigint as bytes
from template
where project_id = :project and not (name = :name and language = :language)
