-- Adds a webhook. No row: the project has 20. Runs after webhook_lock, because a statement that
-- waits for a lock counts the rows from before.
-- class: tx
-- in: project uuid, id uuid, url text, events text[], enabled bool, secret bytea, format text
-- in: audience text null, now int8
-- rows: one
-- row: struct webhook
with
inserted as (
    insert into webhook (
        project_id, id, url, events, enabled, secret_sealed, format, audience,
        created_at, updated_at
    )
    select :project, :id, :url, :events, :enabled, :secret, :format, :audience, :now, :now
    where (select count(*) from webhook where project_id = :project) < 20
    returning *
),
-- include: audit(from = inserted)
select
    -- include: webhook_columns(from = i),
    -- include: row_etag(from = i)
    as etag
from inserted i
