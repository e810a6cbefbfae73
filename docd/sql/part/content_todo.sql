-- True if content c has what {todo} asks for in language {target}: 'missing', no translation of the
-- source; 'outdated', one that is older than the source; null, anything.
-- args: todo, source, target
(
    {todo} is null
    or (
        {todo} = 'missing' and c.languages @> array[{source}] and not c.languages @> array[{target}]
    )
    or (
        {todo} = 'outdated' and c.languages @> array[{source}, {target}] and exists (
            select
            from content_translation s
            join content_translation t using (project_id, type, key)
            where s.project_id = c.project_id and s.type = c.type and s.key = c.key
                and s.language = {source} and t.language = {target} and t.updated_at < s.updated_at
        )
    )
)
