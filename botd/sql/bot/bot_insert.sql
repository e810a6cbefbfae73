-- Adds a bot. Runs between bot_lock and bot_size.
-- class: tx
-- in: project uuid, id uuid, now int8
-- rows: one
-- row: struct bot
with
inserted as (
    insert into bot (
        project_id, id, name, kind, url, program, timeout_ms, warm, identifier, secret_names,
        secrets_sealed, signing_sealed, created_at, updated_at
    )
    select
        :project, :id,
        -- include: bot_values as bot,
        :bot.secret_names::json, :bot.secrets, :bot.signing, :now, :now
    returning *
),
-- include: bot_identifiers(from = inserted),
-- include: audit(from = inserted)
select
    -- include: bot_columns(from = b),
    -- include: row_etag(from = b)
    as etag
from inserted b
