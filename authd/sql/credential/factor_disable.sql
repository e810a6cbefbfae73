-- Deletes an account's second factor, with an audit row if it had one. A credential change.
-- class: tx
-- in: account uuid
-- rows: none
with
deleted as (
    delete from mfa_factor
    where account_id = :account and enrolled_at is not null
    returning account_id
),
-- include: audit(from = deleted)
update credential c
set changes = c.changes + 1
from deleted d
where c.account_id = d.account_id
