-- Returns how many projects are read-only, and since when, in real time (ms).
-- class: read
-- rows: one
-- row: projects int8, since int8 null
select count(distinct project_id) as projects, min(held_at) as since from project_hold
