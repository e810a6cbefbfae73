-- Account {account} is active at {now}: its deletion is not due. A due account's row can exist for
-- a while.
-- args: account, now
({account}.delete_at is null or {account}.delete_at > {now})
