-- Enables the triggers on moving tables while any project is read-only. Runs after hold_add or
-- hold_remove, in their transaction.
-- class: tx
-- rows: one
select from project_hold_apply()
