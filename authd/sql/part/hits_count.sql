-- One more hit for each of the {keys}, which are locked in their order and stay for as many ms as
-- {lives} says beside them; yields how many hits of each are kept, the newest {most}.
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
