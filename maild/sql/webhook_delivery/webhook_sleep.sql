-- Ends the work on a webhook that is off: nothing is due until it is switched on. 0 rows: another
-- process has claimed it, or it was switched on meanwhile.
-- class: write
-- in: id uuid, lease uuid, additions int8
-- rows: none
update webhook_queue
set lease = null, failures = 0, failing_since = null, due_at = null
where webhook_id = :id and lease = :lease and additions = :additions
