-- Replaces sealed secrets of unconfirmed second factors by the same secrets, sealed again. Skips
-- rows that have changed. Returns the number of the others.
-- call: seal_write
with
-- include: seal_replace(table = mfa_pending, column = secret_sealed,
--     match = session_id = n.key::uuid and session_id = any (:seal_replace.keys::uuid[])),
-- include: audit(from = (select from seal_replaced limit 1) one)
select count(*) as total from seal_replaced
