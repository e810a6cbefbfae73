-- Deletes an account's passkey and counts a credential change, if it has this passkey.
-- class: tx
-- in: id uuid, account uuid
-- rows: none
with
deleted as (
    delete from passkey
    where id = :id and account_id = :account
    returning account_id
),
-- include: audit(from = deleted)
update credential c
set changes = c.changes + 1
from deleted d
where c.account_id = d.account_id
