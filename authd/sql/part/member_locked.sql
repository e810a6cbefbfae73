-- True if account {account} cannot sign in to the project of {membership}: an operator has locked
-- the account, or an admin the membership.
-- args: account, membership
({account}.locked_at is not null or {membership}.locked_at is not null)
