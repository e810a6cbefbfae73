-- The templates of a project, at most 1,000. One without a language has a null there.
-- class: read
-- in: project uuid
-- rows: many
-- row: struct template_record
select
    -- include: template_columns(from = t)
from template t
where project_id = :project
order by t.name, t.language
limit 1000
