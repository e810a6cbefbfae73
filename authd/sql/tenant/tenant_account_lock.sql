-- Locks the accounts of a file's rows, so that they join no other project until the transaction
-- ends.
-- class: tx
-- in: rows text
-- rows: many
-- row: id uuid
select a.id
from account a
where a.id = any (array(
    select (e.value ->> 'account_id')::uuid from json_array_elements(:rows::json) e (value)
))
order by a.id
for update
