-- Returns these accounts' keys for network addresses, where they exist.
-- class: read
-- in: accounts uuid[]
-- rows: many
-- row: account uuid, public_key text, secret_sealed bytea
select k.account_id as account, k.public_key, k.secret_sealed
from unnest(:accounts) as a (id)
cross join lateral (select * from account_address_key where account_id = a.id limit 1) k
