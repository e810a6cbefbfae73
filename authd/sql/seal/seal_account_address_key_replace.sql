-- Replaces secret keys for network addresses of accounts by the same, sealed anew: how many were
-- still the old ones.
-- call: seal_write
with
-- include: seal_replace(table = account_address_key, column = secret_sealed,
--     match = account_id = n.key::uuid and account_id = any (:seal_replace.keys::uuid[])),
-- include: audit(from = (select from seal_replaced limit 1) one)
select count(*) as total from seal_replaced
