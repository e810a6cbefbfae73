-- Picks the template with the nearest language: the wanted one, its base language, the project's
-- default, its base, the template without a language, then any. No row: none with that name.
-- class: read
-- in: project uuid, name text
-- in: wanted text, wanted_base text, default_language text, default_base text
-- rows: one
-- row: struct template_record
select name, language, subject, html, text, updated_at as "lastUpdated"
from template
where project_id = :project and name = :name
order by
    language = :wanted desc,
    language = :wanted_base desc,
    language = :default_language desc,
    language = :default_base desc,
    language = '' desc,
    language
limit 1
