-- The public key for an account's network addresses; null: none yet.
-- args: account
(
    select public_key from account_address_key where account_id = {account}
)
