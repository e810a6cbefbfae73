-- A page of private keys of the issuers, behind the key `after` or from the start
-- (common/service/seal_table.h).
-- class: read
-- in: after text null, most int8
-- rows: many
-- row: struct seal_row
select
    kid as key,
    null::text as subject,
    -- include: seal_other(column = private_sealed)
from issuer_key
where kid > coalesce(:after, '')
order by kid
limit :most
