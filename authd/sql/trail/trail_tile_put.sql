-- Writes tiles, or puts longer ones in their places.
-- class: tx
-- in: projects uuid[], levels int8[], tiles int8[], hashes bytea[], places bytea[], top_ats int8[]
-- rows: none
insert into trail_tile (project_id, level, tile, hashes, places, top_at)
select p, l, t, h, q, a
from unnest(:projects, :levels, :tiles, :hashes, :places, :top_ats) as u (p, l, t, h, q, a)
on conflict (project_id, level, tile) do update set
    hashes = excluded.hashes,
    places = excluded.places,
    top_at = excluded.top_at
