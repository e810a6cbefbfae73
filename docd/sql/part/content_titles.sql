-- Titles of the page's keys p: s in language `source`, t in language `target`.
-- in: project uuid, type text, source text, target text
left join content_translation s
    on s.project_id = :project and s.type = :type and s.key = p.key and s.language = :source
left join content_translation t
    on t.project_id = :project and t.type = :type and t.key = p.key and t.language = :target
