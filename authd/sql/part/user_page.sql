-- The address of account a begins at {from} and ends before {end}, and the account comes behind
-- {email} and {id}, in the order of the indexes account_by_email and account_locked.
-- args: email, id, from, end
(a.email collate "C", a.id) > ({email}, {id})
and a.email collate "C" >= {from} and a.email collate "C" < {end}
