-- Deletes the secrets that an account's sessions can enroll.
-- class: tx
-- in: account uuid
-- rows: none
delete from mfa_pending where account_id = :account
