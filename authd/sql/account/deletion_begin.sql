-- Locks an account before its deletion is scheduled, so that no sign-in cancels the date and no
-- other request sets one. `delete_schedule` is the schedule to be replaced. No row: the account was
-- deleted, or its deletion is due.
-- class: tx
-- in: account uuid, now int8
-- rows: one
-- row: email text, name text, surname text, delete_schedule uuid null
select a.email, a.name, a.surname, a.delete_schedule
from account a
where a.id = :account and
    -- include: account_active(account = a, now = :now)
for no key update
