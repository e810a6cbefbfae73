-- Adds a project's translations of content from another installation, and counts their words.
-- call: tenant_add
with
given as materialized (
    select g.*
    from json_array_elements(:tenant_insert.rows::json) e (value),
        json_populate_record(null::content_translation, e.value) g
    where g.project_id = :tenant_insert.project and g.words is null
        and row_to_json(g)::text = e.value::text
),
added as (
    insert into content_translation (
        project_id, type, key, language, title, sections, author, code, updated_at
    )
    select project_id, type, key, language, title, sections, author, code, updated_at
    from given
    order by type, key, language
    on conflict do nothing
    returning *
),
same as (
    select 1
    from given g
    cross join lateral (
        select t as translation
        from content_translation t
        where t.project_id = :tenant_insert.project and t.type = g.type and t.key = g.key
            and t.language = g.language
        limit 1
    ) d
    where row_to_json(json_populate_record(d.translation, '{"words":null}'))::text
        = row_to_json(g)::text
),
word as (
    select type, language, unnest(tsvector_to_array(words)) as word, 1 as n from added
),
-- include: content_word_count as words(project = :tenant_insert.project),
found as (
    select from added limit 1
),
-- include: audit(from = found)
select
    (select count(*) from added) as added,
    (select count(*) from same) as same
