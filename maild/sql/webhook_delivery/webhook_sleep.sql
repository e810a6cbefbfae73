-- Ends the work on a disabled webhook: nothing is due until it is enabled. 0 rows: another process
-- has claimed it, or it was enabled meanwhile.
-- class: write
-- in: id uuid, lease uuid, additions int8
-- rows: none
update webhook_queue
set lease = null, failures = 0, failing_since = null, due_at = null
where webhook_id = :id and lease = :lease and additions = :additions
