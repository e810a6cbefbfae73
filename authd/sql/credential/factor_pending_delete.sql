-- Deletes the secrets that sessions of an account may enrol as its second factor.
-- class: tx
-- in: account uuid
-- rows: none
delete from mfa_pending where account_id = :account
