-- True if {account} has a second factor, a code or a passkey.
-- args: account
(coalesce(
    -- include: factor_enrolled(account = {account})
, false) or exists (select from passkey k where k.account_id = {account}))
