-- Returns a page of the issuers' sealed private keys, after the key `after`
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
