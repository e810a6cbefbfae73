-- Deletes a project's template in one language, or in all (null). Writes one audit row. No row: no
-- such template.
-- class: write
-- in: project uuid, name text, language text null
-- rows: one
with
deleted as (
    delete from template
    where project_id = :project and name = :name and language = coalesce(:language, language)
    returning language
),
-- include: audit(from = (select from deleted limit 1) one)
select from deleted limit 1
