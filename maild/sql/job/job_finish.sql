-- Ends a completed job. 0 rows: another process has claimed it.
-- class: write
-- in: id uuid, lease uuid, now int8
-- rows: none
update job
set state = 'done', done_at = :now, lease = null, last_error = null
where id = :id and lease = :lease
