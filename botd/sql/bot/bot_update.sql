-- Replaces a bot. Without names of secrets it keeps its secrets while its url and program stay, and
-- has none else. The signing secret is for a bot that has none yet. No row: there is no such bot.
-- class: write
-- in: project uuid, id uuid, name text, kind text, url text null, program text null
-- in: timeout_ms int8, warm bool, identifier text, secret_names text null, secrets bytea
-- in: signing bytea, now int8
-- rows: one
-- row: struct bot
with
updated as (
    update bot
    set name = :name, kind = :kind, url = :url, program = :program, timeout_ms = :timeout_ms,
        warm = :warm, identifier = :identifier::json,
        secret_names = case
            when :secret_names is null and (url, program) is not distinct from (:url, :program)
                then secret_names
            else coalesce(:secret_names::json, '[]')
        end,
        secrets_sealed = case
            when :secret_names is null and (url, program) is not distinct from (:url, :program)
                then secrets_sealed
            else :secrets
        end,
        signing_sealed = coalesce(signing_sealed, :signing), updated_at = :now
    where project_id = :project and id = :id
    returning *
),
identifiers_deleted as (
    delete from bot_identifier
    where project_id = :project and bot_id in (select id from updated)
),
-- include: bot_identifiers(from = updated),
-- include: audit(from = updated)
select
    -- include: bot_columns(from = b)
from updated b
