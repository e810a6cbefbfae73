-- Lists up to 100 passkeys of older releases, which didn't record what they open.
-- class: read
-- rows: many
-- row: passkey uuid, account uuid
select id as passkey, account_id as account
from passkey
where opens_id is null
order by id
limit 100
