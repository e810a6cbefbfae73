-- How many templates a project has besides the one of that name and language, their bytes, and those
-- of that one; 0: it is not there.
-- class: read
-- in: project uuid, name text, language text
-- rows: one
-- row: templates int8, bytes int8, replaced int8
select
    count(*) filter (where not t.same) as templates,
    coalesce(sum(t.bytes) filter (where not t.same), 0)::bigint as bytes,
    coalesce(sum(t.bytes) filter (where t.same), 0)::bigint as replaced
from (
    select
        name = :name and language = :language as same,
        octet_length(subject) + coalesce(octet_length(html), 0) + octet_length(text) as bytes
    from template
    where project_id = :project
) t
