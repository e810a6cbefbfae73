-- Counts the credential of an account as changed: a sign-in or a change that was begun by proving
-- it before ends without a session, or without effect.
-- class: tx
-- in: account uuid
-- rows: none
update credential
set changes = changes + 1
where account_id = :account
