-- The words of {one}, then those of {other}, space-separated, each once.
-- args: one, other
(
    select coalesce(string_agg(once.word, ' ' order by once.place), '')
    from (
        select w.word, min(w.place) as place
        from
            unnest(string_to_array({one} || ' ' || {other}, ' '))
            with ordinality as w (word, place)
        where w.word <> ''
        group by w.word
    ) once
)
