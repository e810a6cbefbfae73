-- Returns a user of a project's directory. No row: there is none.
-- class: read
-- in: project uuid, id uuid
-- rows: one
-- row: row scim_user
select u.*
from
    -- include: scim_user_of(project = :project, id = :id)
