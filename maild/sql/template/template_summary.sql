-- Returns the languages of each of a project's templates, separated by commas, and whether there is
-- one without a language. Omits names without a template.
-- class: read
-- in: project uuid
-- rows: many
-- row: name text, any_language bool, languages text
select
    name,
    bool_or(language = '') as any_language,
    coalesce(string_agg(language, ',' order by language) filter (where language <> ''), '')
        as languages
from template
where project_id = :project
group by name
