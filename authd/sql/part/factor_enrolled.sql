-- True if {account} has a second factor; null if it never had one.
-- args: account
(select f.enrolled_at is not null from mfa_factor f where f.account_id = {account})
