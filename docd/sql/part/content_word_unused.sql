-- The words of {counted} that no translation has any more, as JSON for content_word_delete; null:
-- there are none.
-- args: counted
(
    select json_agg(json_build_object('type', type, 'language', language, 'word', word))::text
    from {counted}
    where documents <= 0
) as unused
