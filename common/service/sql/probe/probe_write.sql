-- Needs the same as any other write, but touches no table: space on the data's disk (a temporary
-- file of 256 KiB, removed with the statement), space in the log, and a commit. Returns whether the
-- server is read-only.
-- class: write
-- rows: one
-- row: read_only bool, position text, count int8
select
    current_setting('transaction_read_only') = 'on' as read_only,
    pg_logical_emit_message(true, 'atrium', '')::text as position,
    count(*) as count
from (select set_config('work_mem', '64kB', true) as set) small,
    lateral generate_series(1, 12000 + 0 * length(small.set))
