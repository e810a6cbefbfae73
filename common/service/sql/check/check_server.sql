-- Returns the server's version, the settings that make commits durable, and its time, to compare
-- the clocks. No other statement reads a clock.
-- class: read
-- rows: one
-- row: version text, number int8, synchronous_commit text, fsync text, full_page_writes text
-- row: now_ms int8
select
    current_setting('server_version') as version,
    current_setting('server_version_num')::int8 as number,
    current_setting('synchronous_commit') as synchronous_commit,
    current_setting('fsync') as fsync,
    current_setting('full_page_writes') as full_page_writes,
    (extract(epoch from clock_timestamp()) * 1000)::int8 as now_ms
