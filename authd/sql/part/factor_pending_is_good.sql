-- True if the secret p, which a session can enroll, is of {account}, has not expired, and is newer
-- than the account's last credential change.
-- args: account, now
p.account_id = {account}
and p.credential_changes = (select changes from credential where account_id = {account})
and
-- include: not_expired(column = p.expires_at, now = {now})
