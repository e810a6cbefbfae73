-- A page of the key that signs the heads of trees, behind the key `after` or from the start
-- (common/service/seal_table.h). There is one.
-- class: read
-- in: after text null, most int8
-- rows: many
-- row: struct seal_row
select
    'trail'::text as key,
    null::text as subject,
    -- include: seal_other(column = secret_sealed)
from trail_key
where 'trail' > coalesce(:after, '')
limit :most
