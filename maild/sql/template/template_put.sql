-- Writes a template of a project, new or in place of the one that is there.
-- class: write
-- in: project uuid, name text, language text, subject text, html text null, text text, now int8
-- rows: one
-- row: struct template_record
with
written as (
    insert into template (project_id, name, language, subject, html, text, updated_at)
    values (:project, :name, :language, :subject, :html, :text, :now)
    on conflict (project_id, name, language) do update
    set subject = excluded.subject, html = excluded.html, text = excluded.text,
        updated_at = excluded.updated_at
    returning *
),
-- include: audit(from = written)
select name, nullif(language, '') as language, subject, html, text, updated_at as "lastUpdated"
from written
