-- Lists an account's passkeys, oldest first; passkey_create limits them to 20.
-- class: read
-- in: account uuid
-- rows: many
-- row: id uuid, rp_id text, credential_id bytea, user_handle bytea, name text, backed_up bool
-- row: created_at int8, last_used_at int8 null, opens uuid null
select
    id, rp_id, credential_id, user_handle, name, backed_up, created_at, last_used_at,
    opens_id as opens
from passkey
where account_id = :account
order by created_at, id
