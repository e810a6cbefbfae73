-- Removes the newest hit of a key, which this transaction has added.
-- class: tx
-- in: key bytea
-- rows: none
update throttle
set hits = trim_array(hits, 1)
where key = :key
