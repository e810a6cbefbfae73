-- Account {account} cannot sign in to the project of its membership {membership}: an operator has
-- locked the account, or an admin of the project the membership.
-- args: account, membership
({account}.locked_at is not null or {membership}.locked_at is not null)
