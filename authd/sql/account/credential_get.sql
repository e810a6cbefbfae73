-- Returns an account's email address, password, and count of credential changes, which a later
-- change compares. No row: the account was deleted.
-- class: read
-- in: account uuid
-- rows: one
-- row: email text, password_hash text, changes int8
select a.email, c.password_hash, c.changes
from account a
join credential c on c.account_id = a.id
where a.id = :account
