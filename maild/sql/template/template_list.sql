-- The templates of a project, at most 1,000. One without a language has a null there.
-- class: read
-- in: project uuid
-- rows: many
-- row: struct template_record
select name, nullif(language, '') as language, subject, html, text, updated_at as "lastUpdated"
from template
where project_id = :project
order by name, template.language
limit 1000
