-- Deletes an entry in one language, and its key with the last one. No row: no such entry.
-- class: tx
-- in: project uuid, type text, key text, language text
-- rows: one
-- row: unused text null
with
deleted as (
    delete from content_translation
    where project_id = :project and type = :type and key = :key and language = :language
    returning *
),
key_updated as (
    update content c
    set languages = array_remove(c.languages, :language)
    from deleted t
    where c.project_id = :project and c.type = t.type and c.key = t.key
        and c.languages <> array[:language]
),
key_deleted as (
    delete from content c
    using deleted t
    where c.project_id = :project and c.type = t.type and c.key = t.key
        and c.languages = array[:language]
),
word as (
    select type, language, unnest(tsvector_to_array(words)) as word, -1 as n from deleted
),
-- include: content_word_count as words(project = :project),
-- include: audit(from = deleted,
--     entity = coalesce(:audit.entity, 'Content/' || type || '/' || key || '/' || language))
select
    -- include: content_word_unused(counted = words_counted)
from deleted
