-- Returns an account's erasure, with its receipt, if there is one.
-- class: read
-- in: account uuid
-- rows: one
-- row: deleted_at int8, receipt text null, verifier_key text null
select deleted_at, receipt, verifier_key from erasure where account_id = :account
