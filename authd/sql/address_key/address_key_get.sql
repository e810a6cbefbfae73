-- The public key for the network addresses of an account. No row: it has none yet, or there is no
-- such account.
-- class: read
-- in: account uuid
-- rows: one
-- row: public_key text
select public_key from account_address_key where account_id = :account
