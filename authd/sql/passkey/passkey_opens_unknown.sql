-- Passkeys of builds that did not record what they open, 100 at most.
-- class: read
-- rows: many
-- row: passkey uuid, account uuid
select id as passkey, account_id as account
from passkey
where opens_id is null
order by id
limit 100
