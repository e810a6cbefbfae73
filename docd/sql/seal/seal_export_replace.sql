-- Replaces exports' keys with newly sealed ones, if unchanged. Returns how many.
-- call: seal_write
with
-- include: seal_replace(table = export, column = key_sealed,
--     match = t.project_id = split_part(n.key, ' ', 1)::uuid and t.id = split_part(n.key, ' ', 2)::uuid),
-- include: audit(from = (select from seal_replaced limit 1) one)
select count(*) as total from seal_replaced
