-- Writes a project's languages and its default language. No row: the project has another version.
-- class: write
-- in: project uuid, version int8, languages text[], default_language text
-- rows: one
-- row: etag text
with
updated as (
    update project
    set version = version + 1, languages = :languages, default_language = :default_language
    where id = :project and version = :version
    returning *
),
changes as (
    select p.id as project_id, p.version, c.name, c.old_value, c.new_value
    from updated p
    join project old on old.id = p.id, lateral (
        values
            ('languages', to_jsonb(old.languages), to_jsonb(p.languages)),
            ('defaultLanguage', to_jsonb(old.default_language), to_jsonb(p.default_language))
    ) c (name, old_value, new_value)
    where c.old_value <> c.new_value
),
-- include: history(from = changes),
-- include: outbox(from = updated),
-- include: audit(from = updated)
select
    -- include: row_etag(from = (languages, default_language))
    as etag
from updated
