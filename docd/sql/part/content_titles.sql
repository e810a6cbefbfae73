-- Titles of the page's keys p: s in language `source`, t in language `target`; v: all languages, as
-- JSON.
-- in: project uuid, type text, source text, target text
left join content_translation s
    on s.project_id = :project and s.type = :type and s.key = p.key and s.language = :source
left join content_translation t
    on t.project_id = :project and t.type = :type and t.key = p.key and t.language = :target
left join lateral (
    select json_agg(l order by l.language)::text as languages
    from (
        select language, updated_at as "lastUpdated"
        from content_translation
        where project_id = :project and type = :type and key = p.key
        order by language
        limit 100
    ) l
) v on true
