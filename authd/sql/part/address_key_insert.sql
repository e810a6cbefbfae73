-- Inserts the keys for network addresses of each new account {from} (authd/session/address_key.h).
-- args: from
-- in: public_key text, secret_sealed bytea
{as}_made as (
    insert into account_address_key (account_id, public_key, secret_sealed)
    select id, :public_key, :secret_sealed from {from}
)
