-- Replaces translations' words with folded ones, unless their texts have changed. Returns how many,
-- and the words for content_word_delete.
-- class: tx
-- in: project uuid, entries text
-- rows: one
-- row: folded int8, unused text null
with
given as (
    select *
    from json_to_recordset(:entries::json)
        e (type text, key text, language text, etag text, words text)
),
old as materialized (
    select t.*
    from given e
    join content_translation t
        on t.project_id = :project and t.type = e.type and t.key = e.key and t.language = e.language
    where e.etag =
        -- include: row_etag(from = t)
    order by t.type, t.key, t.language
    for update of t
),
written as (
    update content_translation t
    set words = e.words::tsvector
    from old o
    join given e using (type, key, language)
    where t.project_id = :project and t.type = o.type and t.key = o.key and t.language = o.language
    returning t.*
),
-- include: content_word_change as word,
-- include: content_word_count as words(project = :project)
select
    (select count(*) from written) as folded,
    -- include: content_word_unused(counted = words_counted)
