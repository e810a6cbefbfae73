-- Words of {counted} that no translation uses any more, as JSON for content_word_delete; null:
-- none.
-- args: counted
(
    select json_agg(json_build_object('type', type, 'language', language, 'word', word))::text
    from {counted}
    where documents <= 0
) as unused
