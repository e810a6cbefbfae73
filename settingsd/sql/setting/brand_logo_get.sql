-- Returns a project's logo or null. No row: project not found.
-- class: read
-- in: project uuid
-- rows: one
-- row: logo bytea null
select brand_logo as logo from project where id = :project
