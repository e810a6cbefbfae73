-- Writes tiles, or replaces them by longer ones. The n-th tile's hashes begin at 1024 * (n - 1),
-- its places at 288 * (n - 1): items of an array of bytea would be sent as text.
-- class: tx
-- in: projects uuid[], levels int8[], tiles int8[], hash_sizes int8[], leaf_sizes int8[], top_ats int8[], hashes bytea, places bytea
-- rows: none
insert into trail_tile (project_id, level, tile, hashes, places, top_at)
select p, l, t, substr(:hashes, 1024 * n::int - 1023, h::int), substr(:places, 288 * n::int - 287, q::int), a
from
    unnest(:projects, :levels, :tiles, :hash_sizes, :leaf_sizes, :top_ats)
    with ordinality as u (p, l, t, h, q, a, n)
on conflict (project_id, level, tile) do update set
    hashes = excluded.hashes,
    places = excluded.places,
    top_at = excluded.top_at
