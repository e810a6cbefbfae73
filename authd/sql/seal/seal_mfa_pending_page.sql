-- Returns a page of sealed secrets of unconfirmed second factors, after the key `after`
-- (common/service/seal_table.h).
-- call: seal_page
select
    session_id::text as key,
    account_id::text as subject,
    -- include: seal_other(column = secret_sealed)
from mfa_pending
where session_id > coalesce(:after::uuid, '00000000-0000-0000-0000-000000000000')
order by session_id
limit :most
