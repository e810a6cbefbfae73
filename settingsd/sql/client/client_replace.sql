-- Replaces what a client application is; one that does not authenticate with a secret any more loses
-- what it had. No row: the project has no such one, or it has another entity tag than `etag`, where
-- that is given.
-- class: write
-- in: project uuid, id uuid, etag text null, name text, oauth text, secrets bool, now int8
-- rows: one
-- row: row client
with
replaced as (
    update client c
    set name = :name, oauth = :oauth::jsonb, updated_at = :now,
        secret_hash = case when :secrets then secret_hash end,
        secret_at = case when :secrets then secret_at end,
        previous_hash = case when :secrets then previous_hash end,
        previous_until = case when :secrets then previous_until end
    where c.project_id = :project and c.id = :id and (
        :etag is null or :etag =
            -- include: row_etag(from = c)
    )
    returning *
),
-- include: outbox(from = replaced),
-- include: audit(from = replaced)
select
    -- include: client(from = r)
from replaced r
