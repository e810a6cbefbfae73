-- Returns a project's tree size. No row: no leaf.
-- class: read
-- in: project uuid
-- rows: one
-- row: size int8
select size from trail_tree where project_id = :project
