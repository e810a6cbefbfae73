-- Adds a hit for each of {keys}, which are locked in order and kept for the ms in {lives}. Returns
-- the number of kept hits of each, the newest {most}.
-- args: keys, lives, most, now, window
insert into throttle as t (key, hits, until, in_a_row)
select k.key, array[{now}], {now} + k.life, 1
from unnest({keys}, {lives}) with ordinality k (key, life, place)
order by k.place
on conflict (key) do update set
    until = excluded.until,
    in_a_row = case when t.until > {now} then t.in_a_row else 0 end + 1,
    hits = array(
        select h
        from unnest(t.hits) h
        where
            -- include: hit_live(now = {now}, window = {window})
        order by h desc
        limit {most}
    ) || excluded.hits
returning cardinality(t.hits) as kept
