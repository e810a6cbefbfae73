-- Adds `word` (type, language, word, n) to the numbers of translations with each word in {project}.
-- {as}_counted contains the new numbers.
-- args: project
{as}_counted as (
    insert into content_word as w (project_id, type, language, word, documents)
    select {project}, type, language, word, sum(n)
    from word
    where left(word, 1) <> 'T'
    group by type, language, word
    having sum(n) <> 0
    order by type, language, word
    on conflict (project_id, type, language, word)
        do update set documents = w.documents + excluded.documents
    returning w.type, w.language, w.word, w.documents
)
