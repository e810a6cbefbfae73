-- Records that an import has created accounts. Last before the commit, because parallel imports
-- wait for each other here.
-- class: tx
-- in: now int8
-- rows: none
update import_state
set changed_at = greatest(changed_at + 1, :now)
where single
