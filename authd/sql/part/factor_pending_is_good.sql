-- The secret p that a session may enrol is of {account}, has not expired, and no credential of the
-- account has changed since it was made.
-- args: account, now
p.account_id = {account}
and p.credential_changes = (select changes from credential where account_id = {account})
and
-- include: not_expired(column = p.expires_at, now = {now})
