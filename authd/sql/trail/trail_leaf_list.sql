-- Returns the last tiles of a project's leaves before the tile `before`, last first.
-- class: read
-- in: project uuid, before int8, most int8
-- rows: many
-- row: tile int8, places bytea, top_at int8
select tile, places, top_at
from trail_tile
where project_id = :project and level = 0 and tile < :before
order by tile desc
limit :most
