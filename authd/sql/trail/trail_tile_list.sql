-- Returns a project's tiles by their positions.
-- class: read
-- in: project uuid, levels int8[], tiles int8[]
-- rows: many
-- row: level int8, tile int8, hashes bytea
select t.level, t.tile, t.hashes
from unnest(:levels, :tiles) as p (level, tile)
cross join lateral (
    select *
    from trail_tile
    where
        project_id = :project and trail_tile.level = p.level::smallint
        and trail_tile.tile = p.tile
    limit 1
) t
