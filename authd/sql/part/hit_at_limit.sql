-- The time of the {limit}-th newest hit of {key} in the window; null: fewer. With a time, the key
-- is at its limit until that hit leaves the window.
-- args: key, now, window, limit
(
    select (array(
        select h
        from unnest(t.hits) h
        where
            -- include: hit_live(now = {now}, window = {window})
        order by h desc
    ))[({limit})::int4]
    from throttle t
    where t.key = {key}
)
