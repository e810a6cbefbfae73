-- Words that translations have gained (`written`) and lost (`old`), for content_word_count.
{as} as (
    select type, language, unnest(tsvector_to_array(words)) as word, 1 as n
    from written
    union all
    select o.type, o.language, unnest(tsvector_to_array(o.words)), -1
    from old o
    join written using (type, key, language)
)
