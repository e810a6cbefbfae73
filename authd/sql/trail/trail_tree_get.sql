-- The size of a project's tree. No row: it has no leaf.
-- class: read
-- in: project uuid
-- rows: one
-- row: size int8
select size from trail_tree where project_id = :project
