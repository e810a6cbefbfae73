-- Increments an account's count of credential changes, so that sign-ins and changes with an earlier
-- proof fail.
-- class: tx
-- in: account uuid
-- rows: none
update credential
set changes = changes + 1
where account_id = :account
