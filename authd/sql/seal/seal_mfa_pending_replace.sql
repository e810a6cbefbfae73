-- Replaces secrets of second factors that are not confirmed by the same, sealed anew: how many were
-- still the old ones.
-- call: seal_write
with
-- include: seal_replace(table = mfa_pending, column = secret_sealed,
--     match = session_id = n.key::uuid and session_id = any (:seal_replace.keys::uuid[])),
-- include: audit(from = (select from seal_replaced limit 1) one)
select count(*) as total from seal_replaced
