-- Returns a page of sealed client secrets of identity providers, after the key `after`
-- (common/service/seal_table.h).
-- call: seal_page
select
    id::text as key,
    id::text as subject,
    -- include: seal_other(column = secret_sealed)
from identity_provider
where id > coalesce(:after::uuid, '00000000-0000-0000-0000-000000000000')
order by id
limit :most
