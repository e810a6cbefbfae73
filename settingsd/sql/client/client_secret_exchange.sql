-- Gives a client application a new secret; the old one stays valid until a time, if that is in the
-- future. No row: not found, or without secret authentication.
-- class: write
-- in: project uuid, id uuid, hash bytea, until int8, now int8
-- rows: one
-- row: row client
with
exchanged as (
    update client
    set secret_hash = :hash,
        secret_at = :now,
        previous_hash = case when :until > :now then secret_hash end,
        previous_until = case when :until > :now and secret_hash is not null then :until end
    where project_id = :project and id = :id
        and oauth->>'authMethod' in ('client_secret_basic', 'client_secret_post')
    returning *
),
-- include: outbox(from = exchanged),
-- include: audit(from = exchanged)
select
    -- include: client(from = e)
from exchanged e
