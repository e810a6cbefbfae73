-- The settings of a project. No row: there is no such project.
-- class: read
-- in: project uuid
-- rows: one
-- row: version int8, record struct settings_record, settings struct settings_values
select
    -- include: settings_columns
from project p
where p.id = :project
