-- Records the tiles of a daemon's rows.
-- class: tx
-- in: daemon int8, projects uuid[], sequences int8[], tiles int8[]
-- rows: none
insert into trail_place (project_id, daemon, sequence, tile)
select p, :daemon, s, t from unnest(:projects, :sequences, :tiles) as u (p, s, t)
