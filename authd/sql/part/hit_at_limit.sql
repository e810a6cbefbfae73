-- The time of the {limit}-th newest hit of {key} in the window: while there is one, the key is at
-- its limit, and it is below again when that hit leaves the window. Null: it is below.
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
