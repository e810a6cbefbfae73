-- Replaces resealed rotated keys and returns how many were unchanged until then.
-- call: seal_write
with
-- include: seal_replace(table = seal_key, column = key_sealed, match = t.id = n.key),
-- include: audit(from = (select from seal_replaced limit 1) one)
select count(*) as total from seal_replaced
