-- Replaces an admin's settings of a webhook; a null audience stays unchanged. Enabling it clears
-- gone_at and retries what waits immediately. No row: none, or `etag` is given and differs.
-- class: write
-- in: project uuid, id uuid, etag text null, url text, events text[], enabled bool
-- in: audience text null, now int8
-- rows: one
-- row: struct webhook
with
replaced as (
    update webhook w
    set url = :url, events = :events, enabled = :enabled,
        audience = coalesce(:audience, audience),
        gone_at = case when not :enabled then gone_at end, updated_at = :now
    where project_id = :project and id = :id and (
        :etag is null or :etag =
            -- include: row_etag(from = w)
    )
    returning *
),
-- include: webhook_wake(from = replaced),
-- include: audit(from = replaced)
select
    -- include: webhook_columns(from = r),
    -- include: row_etag(from = r)
    as etag
from replaced r
