-- Replaces the key that signs the heads of trees by the same, sealed anew: how many were still the
-- old ones.
-- call: seal_write
with
-- include: seal_replace(table = trail_key, column = secret_sealed, match = n.key = 'trail'),
-- include: audit(from = (select from seal_replaced limit 1) one)
select count(*) as total from seal_replaced
