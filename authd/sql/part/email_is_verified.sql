-- True if the email address of {account} is verified for all organizations (the nil UUID) or for
-- {organization}, the root of its projects (null: only for all).
-- args: account, organization
exists (
    select
    from email_verified v
    where v.account_id = {account}
        and v.organization_id in ('00000000-0000-0000-0000-000000000000', {organization})
)
