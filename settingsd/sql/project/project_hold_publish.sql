-- What settingsd tells authd and the gateways when a project becomes read-only, or ends to be so.
-- Runs behind project_lock, in the transaction of hold_add or hold_remove.
-- class: tx
-- in: project uuid
-- rows: one
with
found as (
    select id from project where id = :project
),
-- include: outbox(from = found),
-- include: audit(from = found)
select from found
