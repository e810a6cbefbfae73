-- Replaces bots' signing secrets with newly sealed ones, if unchanged. Returns how many.
-- call: seal_write
with
-- include: seal_replace(table = bot, column = signing_sealed,
--     match = t.project_id = left(n.key, 36)::uuid and t.id = substr(n.key, 37)::uuid),
-- include: audit(from = (select from seal_replaced limit 1) one)
select count(*) as total from seal_replaced
