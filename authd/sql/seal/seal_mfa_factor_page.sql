-- Returns a page of sealed second-factor secrets, after the key `after`
-- (common/service/seal_table.h).
-- call: seal_page
select
    account_id::text as key,
    account_id::text as subject,
    -- include: seal_other(column = secret_sealed)
from mfa_factor
where account_id > coalesce(:after::uuid, '00000000-0000-0000-0000-000000000000')
order by account_id
limit :most
