-- The membership in a project of the account that a row is of. No row: it has left the project.
-- class: read
-- in: project uuid, after text
-- rows: one
-- row: place uuid
select m.id as place
from membership m
where m.account_id = (:after::json ->> 'account_id')::uuid and m.project_id = :project
