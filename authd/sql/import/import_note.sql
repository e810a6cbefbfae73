-- Notes that an import has made accounts. The last statement before the commit: imports at the same
-- time wait for each other here.
-- class: tx
-- in: now int8
-- rows: none
update import_state
set changed_at = greatest(changed_at + 1, :now)
where single
