-- The hits {hits} and a new one at {now}: only the newest {limit} old ones in the window stay.
-- args: hits, now, window, limit
array(
    select h
    from unnest({hits}) h
    where
        -- include: hit_live(now = {now}, window = {window})
    order by h desc
    limit {limit}
) || {now}
