-- Records at {now} that the email address of {account}, a column of {from}, is verified for
-- {organization} (null: all). No row: it was verified before. Locks the account's row `for key
-- share`.
-- args: account, organization, now, from
{as}_inserted as (
    insert into email_verified (account_id, organization_id, verified_at)
    select
        {account}, coalesce({organization}, '00000000-0000-0000-0000-000000000000'), {now}
    from {from}
    on conflict do nothing
    returning account_id
)
