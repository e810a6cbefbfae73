-- A page of private keys of the issuers, behind the key `after` or from the start
-- (common/service/seal_table.h).
-- call: seal_page
select
    kid as key,
    null::text as subject,
    -- include: seal_other(column = private_sealed)
from issuer_key
where kid > coalesce(:after, '')
order by kid
limit :most
