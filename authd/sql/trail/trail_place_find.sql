-- Returns the tile, with its leaves, that contains a daemon's row, if any.
-- class: read
-- in: project uuid, daemon int8, sequence int8
-- rows: one
-- row: tile int8, places bytea
select t.tile, t.places
from trail_tile t
where t.project_id = :project and t.level = 0 and t.tile = (
    select tile
    from trail_place
    where project_id = :project and daemon = :daemon::smallint and sequence <= :sequence
    order by sequence desc
    limit 1
)
