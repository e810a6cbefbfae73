-- Deletes the account of a patient whose membership is being deleted, and all rows that belong to
-- it. The audit row is that of the membership.
-- class: tx
-- in: account uuid
-- rows: none
delete from account where id = :account
