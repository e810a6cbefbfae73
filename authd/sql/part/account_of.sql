-- The account a of row {row}. A lookup per row instead of a join, for lists that end early, and
-- because a plan from when the tables were small would read all accounts.
-- args: row
lateral (select * from account where id = {row}.account_id limit 1) a
