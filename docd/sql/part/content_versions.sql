-- The languages of key {key}, each with its last change, as JSON; null: it has none.
-- args: project, type, key
(
    select json_agg(v order by v.language)::text
    from (
        select language, updated_at as "lastUpdated"
        from content_translation
        where project_id = {project} and type = {type} and key = {key}
        order by language
        limit 100
    ) v
)
