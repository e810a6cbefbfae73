-- Replaces webhooks' secrets with newly sealed ones, if unchanged. Returns how many.
-- call: seal_write
with
-- include: seal_replace(table = webhook, column = secret_sealed,
--     match = t.id = n.key::uuid and t.id = any (:seal_replace.keys::uuid[])),
-- include: audit(from = (select from seal_replaced limit 1) one)
select count(*) as total from seal_replaced
