-- In which languages a project has each of its templates, separated by commas, and whether without
-- a language too. A name that it has not is not among them.
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
