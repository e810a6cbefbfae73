-- Replaces the issuers' sealed private keys by the same keys, sealed again. Skips rows that have
-- changed. Returns the number of the others.
-- call: seal_write
with
-- include: seal_replace(table = issuer_key, column = private_sealed, match = t.kid = n.key),
-- include: audit(from = (select from seal_replaced limit 1) one)
select count(*) as total from seal_replaced
