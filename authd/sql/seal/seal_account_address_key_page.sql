-- Returns a page of sealed secret keys for network addresses, after the key `after`
-- (common/service/seal_table.h).
-- call: seal_page
select
    account_id::text as key,
    account_id::text as subject,
    -- include: seal_other(column = secret_sealed)
from account_address_key
where account_id > coalesce(:after::uuid, '00000000-0000-0000-0000-000000000000')
order by account_id
limit :most
