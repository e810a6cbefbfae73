-- Locks the accounts of a page of members of a project during its deletion, so that they join no
-- other project in the transaction.
-- class: tx
-- in: project uuid, most int8
-- rows: many
-- row: id uuid
select a.id
from account a
where a.id = any (array(
    select account_id from membership where project_id = :project order by project_id, id limit :most
))
order by a.id
for update
