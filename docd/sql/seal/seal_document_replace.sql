-- Replaces public documents' tokens with newly sealed ones, if unchanged. Returns how many.
-- call: seal_write
with
-- include: seal_replace(table = document, column = public_token,
--     match = public_hash = decode(n.key, 'hex')),
-- include: audit(from = (select from seal_replaced limit 1) one)
select count(*) as total from seal_replaced
