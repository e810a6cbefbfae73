-- Stores new or different entries; `touch`: equal ones too. Returns how many, the added entries and bytes, the last change,
-- the entity tag of one of them, and the words for content_word_delete.
-- class: tx
-- in: project uuid, entries text, touch bool, now int8
-- rows: one
-- row: changed int8, more_entries int8, more_bytes int8, updated_at int8, etag text, unused text null
with
given as (
    select e.*
    from
        -- include: content_entries(entries = :entries)
),
old as (
    select t.*
    from given e
    join content_translation t
        on t.project_id = :project and t.type = e.type and t.key = e.key and t.language = e.language
),
written as (
    insert into content_translation as t (
        project_id, type, key, language, title, sections, author, code, updated_at, words
    )
    select
        :project, e.type, e.key, e.language, e.title, e.sections, e.author, e.code, :now,
        e.words::tsvector
    from given e
    order by e.type, e.key, e.language
    on conflict (project_id, type, key, language)
        do update
        set title = excluded.title, sections = excluded.sections, author = excluded.author,
            code = excluded.code, updated_at = excluded.updated_at, words = excluded.words
        where (t.title, t.sections, t.author, t.code)
            is distinct from (excluded.title, excluded.sections, excluded.author, excluded.code)
            or :touch
    returning t.*
),
more as (
    select
        count(*) - count(o.key) as entries,
        coalesce(sum(
            -- include: content_size(from = w)
            - coalesce(
                -- include: content_size(from = o)
            , 0)
        ), 0)::bigint as bytes
    from written w
    left join old o using (type, key, language)
),
-- include: content_word_change as word,
-- include: content_word_count as words(project = :project),
-- include: audit(from = written,
--     entity = coalesce(:audit.entity, 'Content/' || type || '/' || key || '/' || language))
select
    (select count(*) from written) as changed,
    (select entries from more) as more_entries,
    (select bytes from more) as more_bytes,
    coalesce((select max(updated_at) from written), (select max(updated_at) from old))
        as updated_at,
    coalesce(
        (select
            -- include: row_etag(from = w)
        from written w limit 1),
        (select
            -- include: row_etag(from = o)
        from old o limit 1)
    ) as etag,
    -- include: content_word_unused(counted = words_counted)
