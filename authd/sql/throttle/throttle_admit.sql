-- Counts one hit of a key, unless it has `most` in the window. The row's lock makes the count exact
-- for all instances. No row: the key is at its limit.
-- class: write tx
-- in: key bytea, now int8, window int8, most int8
-- rows: one
-- row: kept int8, oldest int8
insert into throttle as t (key, hits, until)
values (:key, array[:now], :now + :window)
on conflict (key) do update set
    until = excluded.until,
    hits = array(
        select h
        from unnest(t.hits) h
        where
            -- include: hit_live(now = :now, window = :window)
    ) || excluded.hits
where (
    select count(*)
    from unnest(t.hits) h
    where
        -- include: hit_live(now = :now, window = :window)
) < :most
returning cardinality(hits)::bigint as kept, hits[1] as oldest
