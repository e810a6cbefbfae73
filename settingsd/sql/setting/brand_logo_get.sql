-- The logo of a project; null while it has none. No row: there is no such project.
-- class: read
-- in: project uuid
-- rows: one
-- row: logo bytea null
select brand_logo as logo from project where id = :project
