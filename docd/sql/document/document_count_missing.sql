-- Counts documents without their bytes, up to `most`.
-- class: read
-- in: most int8
-- rows: one
-- row: count int8
select count(*) as count
from (select from document where missing_at >= 0 limit :most) d
