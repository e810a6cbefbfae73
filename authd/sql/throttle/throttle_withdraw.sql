-- Takes back the newest hit of a key, which the transaction has written.
-- class: tx
-- in: key bytea
-- rows: none
update throttle
set hits = trim_array(hits, 1)
where key = :key
