-- The keys for the network addresses of each account {from}, which has just been created
-- (authd/session/address_key.h).
-- args: from
-- in: public_key text, secret_sealed bytea
{as}_made as (
    insert into account_address_key (account_id, public_key, secret_sealed)
    select id, :public_key, :secret_sealed from {from}
)
