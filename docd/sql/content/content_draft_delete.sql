-- Deletes a draft. No row: no such draft.
-- class: write
-- in: project uuid, type text, key text, language text
-- rows: one
with
deleted as (
    delete from content_draft
    where project_id = :project and type = :type and key = :key and language = :language
    returning *
),
-- include: audit(from = deleted,
--     entity = coalesce(:audit.entity, 'ContentDraft/' || type || '/' || key || '/' || language))
select from deleted
