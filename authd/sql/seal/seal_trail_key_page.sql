-- Returns the sealed key that signs checkpoints, after the key `after`
-- (common/service/seal_table.h).
-- call: seal_page
select
    'trail'::text as key,
    null::text as subject,
    -- include: seal_other(column = secret_sealed)
from trail_key
where 'trail' > coalesce(:after, '')
limit :most
