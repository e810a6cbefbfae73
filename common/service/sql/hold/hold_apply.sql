-- Lets the triggers of the tables that travel look, while a project is read-only. Behind hold_add and
-- hold_remove, in their transaction.
-- class: tx
-- rows: one
select from project_hold_apply()
