-- Replaces sealed client secrets of identity providers by the same secrets, sealed again. Skips rows
-- that have changed. Returns the number of the others.
-- call: seal_write
with
-- include: seal_replace(table = identity_provider, column = secret_sealed,
--     match = id = n.key::uuid and id = any (:seal_replace.keys::uuid[])),
-- include: audit(from = (select from seal_replaced limit 1) one)
select count(*) as total from seal_replaced
