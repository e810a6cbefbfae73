-- Replaces private keys of the issuers by the same, sealed anew: how many were still the
-- old ones.
-- call: seal_write
with
-- include: seal_replace(table = issuer_key, column = private_sealed, match = t.kid = n.key),
-- include: audit(from = (select from seal_replaced limit 1) one)
select count(*) as total from seal_replaced
