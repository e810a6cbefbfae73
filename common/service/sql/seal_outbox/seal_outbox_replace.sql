-- Replaces resealed messages to other daemons and returns how many were unchanged until then.
-- call: seal_write
with
-- include: seal_replace(table = outbox, column = body,
--     match = t.id = n.key::uuid and t.id = any (:seal_replace.keys::uuid[])),
-- include: audit(from = (select from seal_replaced limit 1) one)
select count(*) as total from seal_replaced
