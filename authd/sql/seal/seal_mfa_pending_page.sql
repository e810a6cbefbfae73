-- A page of secrets of second factors that are not confirmed, behind the key `after` or from the
-- start (common/service/seal_table.h).
-- call: seal_page
select
    session_id::text as key,
    account_id::text as subject,
    -- include: seal_other(column = secret_sealed)
from mfa_pending
where session_id > coalesce(:after::uuid, '00000000-0000-0000-0000-000000000000')
order by session_id
limit :most
