-- The characters that a project took of its budget of a day. No row: none.
-- class: read
-- in: project uuid, day int8
-- rows: one
-- row: characters int8
select characters from translation_day where project_id = :project and day = :day
