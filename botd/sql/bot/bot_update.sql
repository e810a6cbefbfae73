-- Replaces a bot. Without names of secrets, it keeps its secrets if its url and program are
-- unchanged, otherwise it has none. Sets the signing secret only if the bot has none. No row: no
-- such bot, or `etag` is given and differs. Runs between bot_lock and bot_size.
-- class: tx
-- in: project uuid, id uuid, etag text null, now int8
-- rows: one
-- row: struct bot
with
updated as (
    update bot b
    set (name, kind, url, program, timeout_ms, warm, identifier) = (
            -- include: bot_values as bot
        ),
        secret_names = case
            when :bot.secret_names is null and (url, program) is not distinct from (:bot.url, :bot.program)
                then secret_names
            else coalesce(:bot.secret_names::json, '[]')
        end,
        secrets_sealed = case
            when :bot.secret_names is null and (url, program) is not distinct from (:bot.url, :bot.program)
                then secrets_sealed
            else :bot.secrets
        end,
        signing_sealed = coalesce(signing_sealed, :bot.signing), updated_at = :now
    where b.project_id = :project and b.id = :id and (
        :etag is null or :etag =
            -- include: row_etag(from = b)
    )
    returning *
),
identifiers_deleted as (
    delete from bot_identifier
    where project_id = :project and bot_id in (select id from updated)
),
-- include: bot_identifiers(from = updated),
-- include: audit(from = updated)
select
    -- include: bot_columns(from = b),
    -- include: row_etag(from = b)
    as etag
from updated b
