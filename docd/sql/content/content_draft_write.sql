-- Stores a draft, if it has this entity tag (null: any) and is new if `is_new`. Returns its entity
-- tag, null if it was not stored, and the number of the project's drafts before.
-- class: write
-- in: project uuid, type text, key text, language text, title text, sections text
-- in: author text null, code text null, most int8, expected text null, is_new bool, now int8
-- rows: one
-- row: etag text null, drafts int8
with
drafts as (
    select count(*) as n from content_draft where project_id = :project
),
own as (
    select
    from content_draft
    where project_id = :project and type = :type and key = :key and language = :language
),
written as (
    insert into content_draft as t (
        project_id, type, key, language, title, sections, author, code, updated_at
    )
    select
        :project, :type, :key, :language, :title, :sections::jsonb, :author, :code, :now
    from drafts d
    where exists (select from own) or (d.n < :most and :expected is null)
    on conflict (project_id, type, key, language)
        do update
        set title = excluded.title, sections = excluded.sections, author = excluded.author,
            code = excluded.code, updated_at = excluded.updated_at
        where not :is_new and (:expected is null or :expected =
            -- include: row_etag(from = t)
        )
    returning t.*
),
-- include: audit(from = written,
--     entity = coalesce(:audit.entity, 'ContentDraft/' || type || '/' || key || '/' || language))
select
    (select
        -- include: row_etag(from = w)
    from written w) as etag,
    d.n as drafts
from drafts d
