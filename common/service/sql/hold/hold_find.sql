-- Returns whether a project is read-only, and this transaction's number for hold_is_settled.
-- class: write
-- in: project uuid
-- rows: one
-- row: held bool, xact int8
select
    exists (select from project_hold where project_id = :project) as held,
    pg_current_xact_id()::text::int8 as xact
