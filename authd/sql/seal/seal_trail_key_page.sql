-- A page of the key that signs the heads of trees, behind the key `after` or from the start
-- (common/service/seal_table.h). There is one.
-- call: seal_page
select
    'trail'::text as key,
    null::text as subject,
    -- include: seal_other(column = secret_sealed)
from trail_key
where 'trail' > coalesce(:after, '')
limit :most
