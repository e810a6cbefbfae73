-- A write that needs what every write needs, and touches no table: space for a file on the disk of
-- the data (256 KiB of a temporary one, removed with the statement), a place in the log, and a
-- commit. Does the server only read?
-- class: write
-- rows: one
-- row: read_only bool, position text, count int8
select
    current_setting('transaction_read_only') = 'on' as read_only,
    pg_logical_emit_message(true, 'atrium', '')::text as position,
    count(*) as count
from (select set_config('work_mem', '64kB', true) as set) small,
    lateral generate_series(1, 12000 + 0 * length(small.set))
