-- The e-mail address of {account} is verified for someone else than {organization}: another one, or
-- all (the nil UUID).
-- args: account, organization
exists (
    select
    from email_verified v
    where v.account_id = {account} and v.organization_id is distinct from {organization}
)
