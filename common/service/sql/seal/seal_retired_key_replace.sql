-- Replaces keys that were exchanged by the same, sealed anew: how many were still the old ones.
-- call: seal_write
with
-- include: seal_replace(table = seal_key, column = key_sealed, match = t.id = n.key),
-- include: audit(from = (select from seal_replaced limit 1) one)
select count(*) as total from seal_replaced
