-- Returns a page of rotated keys, after the key `after` or from the start
-- (common/service/seal_table.h).
-- call: seal_page
select
    id as key,
    id as subject,
    -- include: seal_other(column = key_sealed)
from seal_key
where id > coalesce(:after, '')
order by id
limit :most
