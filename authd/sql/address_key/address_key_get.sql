-- Returns the public key for an account's network addresses. No row: no key yet, or no such
-- account.
-- class: read
-- in: account uuid
-- rows: one
-- row: public_key text
select public_key from account_address_key where account_id = :account
