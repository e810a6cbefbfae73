-- Account {account} is active at {now}: its deletion is not scheduled, or for later. The row of an
-- account whose date has come may stand for a while until it is deleted.
-- args: account, now
({account}.delete_at is null or {account}.delete_at > {now})
