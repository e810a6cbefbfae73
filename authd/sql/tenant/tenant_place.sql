-- Returns the membership in a project of a row's account. No row: the account has left the project.
-- class: read
-- in: project uuid, after text
-- rows: one
-- row: place uuid
select m.id as place
from membership m
where m.account_id = (:after::json ->> 'account_id')::uuid and m.project_id = :project
