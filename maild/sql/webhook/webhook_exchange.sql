-- Replaces a webhook's secret. The previous one also signs until a given time, unless that has
-- passed. No row: no such webhook.
-- class: write
-- in: project uuid, id uuid, secret bytea, until int8, now int8
-- rows: one
-- row: struct webhook
with
exchanged as (
    update webhook
    set secret_sealed = :secret,
        previous_sealed = case when :until > :now then secret_sealed end,
        previous_until = case when :until > :now then :until end,
        updated_at = :now
    where project_id = :project and id = :id
    returning *
),
-- include: audit(from = exchanged)
select
    -- include: webhook_columns(from = e),
    -- include: row_etag(from = e)
    as etag
from exchanged e
