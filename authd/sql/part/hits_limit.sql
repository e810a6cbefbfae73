-- The time of the {limit}-th newest of {hits}, an array, in the window; null: fewer.
-- args: hits, now, window, limit
(array(
    select h
    from unnest({hits}) h
    where
        -- include: hit_live(now = {now}, window = {window})
    order by h desc
))[({limit})::int4]
