-- True if the email address of {account} is verified for another organization than {organization},
-- or for all (the nil UUID).
-- args: account, organization
exists (
    select
    from email_verified v
    where v.account_id = {account} and v.organization_id is distinct from {organization}
)
