-- Replaces tokens of public documents by the same, sealed anew: how many were still the old ones.
-- call: seal_write
with
-- include: seal_replace(table = document, column = public_token,
--     match = public_hash = decode(n.key, 'hex')),
-- include: audit(from = (select from seal_replaced limit 1) one)
select count(*) as total from seal_replaced
