-- Records a batch of an import, for the caller's transaction to complete. 0: it was committed
-- before. Waits while another transaction has the same batch under way.
-- class: tx
-- in: import bytea, first_line int8, expires_at int8
-- rows: none
insert into import_batch (import_id, first_line, expires_at)
values (:import, :first_line, :expires_at)
on conflict do nothing
