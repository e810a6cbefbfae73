-- The account a that row {row} belongs to. Looked up for each row rather than joined: for a list
-- that ends early, and because a plan made while the tables were small would read all accounts.
-- args: row
lateral (select * from account where id = {row}.account_id limit 1) a
