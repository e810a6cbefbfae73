-- The hits {hits} with one more, at {now}: of the others the newest {limit} in the window.
-- args: hits, now, window, limit
array(
    select h
    from unnest({hits}) h
    where
        -- include: hit_live(now = {now}, window = {window})
    order by h desc
    limit {limit}
) || {now}
