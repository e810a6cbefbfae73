-- Replaces the sealed key that signs checkpoints by the same key, sealed again. Skips rows that
-- have changed. Returns the number of the others.
-- call: seal_write
with
-- include: seal_replace(table = trail_key, column = secret_sealed, match = n.key = 'trail'),
-- include: audit(from = (select from seal_replaced limit 1) one)
select count(*) as total from seal_replaced
