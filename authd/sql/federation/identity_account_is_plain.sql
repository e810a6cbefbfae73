-- True if an account is active, an admin nowhere, and not linked with another person of the provider.
-- class: read tx
-- in: account uuid, provider uuid, now int8
-- rows: one
-- row: plain bool
select
    -- include: account_active(account = a, now = :now)
    and not exists (select from membership m where m.account_id = a.id and m.admin)
    and not exists (
        select from identity i where i.account_id = a.id and i.provider_id = :provider
    ) as plain
from account a
where a.id = :account
