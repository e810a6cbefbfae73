-- A page of keys that were exchanged, behind the key `after` or from the start
-- (common/service/seal_table.h).
-- class: read
-- in: after text null, most int8
-- rows: many
-- row: struct seal_row
select
    id as key,
    id as subject,
    -- include: seal_other(column = key_sealed)
from seal_key
where id > coalesce(:after, '')
order by id
limit :most
