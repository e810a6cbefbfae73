-- Adds or replaces a project's template. No row: a precondition failed. With `etag` the template
-- must exist with that entity tag ("*": any); with `absent` it must not exist. Locks an existing
-- one before it compares, so that nothing changes in between. Runs between template_lock and
-- template_size.
-- class: tx
-- in: project uuid, name text, language text, etag text null, absent bool, subject text
-- in: html text null, text text, now int8
-- rows: one
-- row: struct template_record
with
locked as (
    select
        -- include: row_etag(from = t)
        as etag
    from template t
    where t.project_id = :project and t.name = :name and t.language = :language
    for update
),
written as (
    insert into template (project_id, name, language, subject, html, text, updated_at)
    select :project, :name, :language, :subject, :html, :text, :now
    where :etag is null or exists (select from locked where :etag in ('*', etag))
    on conflict (project_id, name, language) do update
    set subject = excluded.subject, html = excluded.html, text = excluded.text,
        updated_at = excluded.updated_at
    where not :absent
    returning *
),
-- include: audit(from = written)
select
    -- include: template_columns(from = w),
    -- include: row_etag(from = w)
    as etag
from written w
