-- Returns a page of messages' contents, after the key `after` or from the start
-- (common/service/seal_table.h).
-- call: seal_page
select
    id::text as key,
    null::text as subject,
    -- include: seal_other(column = sealed)
from message
where id > coalesce(:after::uuid, '00000000-0000-0000-0000-000000000000')
order by id
limit :most
