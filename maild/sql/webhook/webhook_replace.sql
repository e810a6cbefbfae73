-- Replaces what an admin says of a webhook, its audience unless that is null; one that is on is not
-- gone, and what waits for it is tried at once. No row: there is none.
-- class: write
-- in: project uuid, id uuid, url text, events text[], enabled bool, audience text null
-- in: now int8
-- rows: one
-- row: struct webhook
with
replaced as (
    update webhook
    set url = :url, events = :events, enabled = :enabled,
        audience = coalesce(:audience, audience),
        gone_at = case when not :enabled then gone_at end, updated_at = :now
    where project_id = :project and id = :id
    returning *
),
-- include: webhook_wake(from = replaced),
-- include: audit(from = replaced)
select
    -- include: webhook_columns(from = r)
from replaced r
