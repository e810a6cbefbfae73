-- Returns the characters of a day's budget that a project has used. No row: none.
-- class: read
-- in: project uuid, day int8
-- rows: one
-- row: characters int8
select characters from translation_day where project_id = :project and day = :day
