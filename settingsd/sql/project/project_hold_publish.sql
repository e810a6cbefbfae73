-- Returns the message to authd and the gateways when read-only starts or ends. Runs after
-- project_lock, in the transaction of hold_add or hold_remove.
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
