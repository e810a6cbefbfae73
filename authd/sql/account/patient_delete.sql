-- Deletes a patient's account with all its rows, when the membership is deleted. The audit row is
-- the membership's.
-- class: tx
-- in: account uuid
-- rows: none
delete from account where id = :account
