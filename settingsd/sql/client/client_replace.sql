-- Replaces a client application. Without secret authentication it loses its secret. No row: not
-- found, or its entity tag is not `etag`, if given.
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
