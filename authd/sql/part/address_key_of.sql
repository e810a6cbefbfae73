-- The public key for the network addresses of an account; null: it has none yet.
-- args: account
(
    select public_key from account_address_key where account_id = {account}
)
