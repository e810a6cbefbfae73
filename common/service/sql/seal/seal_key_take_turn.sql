-- One instance at a time seals anew what the key `id` is to seal: this one until `until`, unless
-- another has its turn. Times are real time, ms. No row: another has.
-- class: write
-- in: id text, instance text, now int8, until int8
-- rows: none
update seal_key
set busy_by = :instance, busy_until = :until
where id = :id and (busy_by = :instance or busy_until <= :now)
