-- Records a batch of an import, which the caller's transaction completes. Waits for another
-- transaction with the same batch. 0: already committed.
-- class: tx
-- in: import bytea, first_line int8, expires_at int8
-- rows: none
insert into import_batch (import_id, first_line, expires_at)
values (:import, :first_line, :expires_at)
on conflict do nothing
