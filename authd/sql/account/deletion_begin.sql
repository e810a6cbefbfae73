-- Locks the account whose deletion is asked for: until the commit no sign-in takes the date from it
-- and no other request gives it another. `delete_schedule` is the schedule that the new one
-- replaces. No row: the account was deleted, or its date has come.
-- class: tx
-- in: account uuid, now int8
-- rows: one
-- row: email text, name text, surname text, delete_schedule uuid null
select a.email, a.name, a.surname, a.delete_schedule
from account a
where a.id = :account and
    -- include: account_active(account = a, now = :now)
for no key update
