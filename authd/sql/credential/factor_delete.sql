-- Deletes the second factor of an account that is being deleted.
-- class: tx
-- in: account uuid
-- rows: none
delete from mfa_factor where account_id = :account
