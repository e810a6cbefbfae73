-- Whether {account} has a second factor that can be shown: a code's or a passkey.
-- args: account
(coalesce(
    -- include: factor_enrolled(account = {account})
, false) or exists (select from passkey k where k.account_id = {account}))
