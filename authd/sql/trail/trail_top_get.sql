-- Returns the latest time of a row up to a tile of leaves. No row: no such tile.
-- class: read
-- in: project uuid, tile int8
-- rows: one
-- row: top_at int8
select top_at from trail_tile where project_id = :project and level = 0 and tile = :tile
