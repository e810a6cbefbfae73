-- Ends an attempt; the job is retried later. 0 rows: another process has claimed it.
-- class: write
-- in: id uuid, lease uuid, try_at int8, last_error text
-- rows: none
update job
set try_at = :try_at, lease = null, last_error = :last_error
where id = :id and lease = :lease
