-- Writes tree sizes.
-- class: tx
-- in: projects uuid[], sizes int8[]
-- rows: none
insert into trail_tree (project_id, size)
select p, s from unnest(:projects, :sizes) as u (p, s)
on conflict (project_id) do update set size = excluded.size
