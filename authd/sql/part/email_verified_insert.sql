-- Records at {now} that the e-mail address of {account}, a column of {from}, is verified for
-- {organization}, or, where that is null, for all. What was verified before stays as it is: then
-- there is no row. Locks the account's row `for key share`.
-- args: account, organization, now, from
{as}_inserted as (
    insert into email_verified (account_id, organization_id, verified_at)
    select
        {account}, coalesce({organization}, '00000000-0000-0000-0000-000000000000'), {now}
    from {from}
    on conflict do nothing
    returning account_id
)
