-- Returns tiles by their positions, in the order of project and level.
-- class: tx
-- in: projects uuid[], levels int8[], tiles int8[]
-- rows: many
-- row: project uuid, level int8, tile int8, hashes bytea, places bytea, top_at int8
select t.project_id as project, t.level, t.tile, t.hashes, t.places, t.top_at
from unnest(:projects, :levels, :tiles) as p (id, level, tile)
cross join lateral (
    select *
    from trail_tile
    where project_id = p.id and trail_tile.level = p.level::smallint and trail_tile.tile = p.tile
    limit 1
) t
order by t.project_id, t.level
