-- Returns a page of public documents' tokens, after the key `after` or from the start
-- (common/service/seal_table.h).
-- call: seal_page
select
    encode(public_hash, 'hex') as key,
    null::text as subject,
    -- include: seal_other(column = public_token)
from document
where public_hash is not null and public_hash > coalesce(decode(:after, 'hex'), '')
order by public_hash
limit :most
