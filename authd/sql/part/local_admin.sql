-- True if membership {membership} of account {account} is of an admin who can sign in without an
-- identity provider: with a password, which others (password_dummy()) do not have, and a second
-- factor.
-- args: account, membership
(
    {membership}.admin and {membership}.local_sign_in and {membership}.end_at is null
    and {account}.delete_at is null and not
    -- include: member_locked(account = {account}, membership = {membership})
    and coalesce(
        -- include: factor_enrolled(account = {account}.id)
    , false)
    and exists (
        select
        from credential c
        where c.account_id = {account}.id
            and c.password_hash not like '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAA%'
    )
)
