-- Revokes an API key, and numbers that change like the end of a session, because gateways treat a
-- key's id like a session's. No row: the project has no such key.
-- class: tx
-- in: project uuid, id uuid, now int8
-- rows: one
-- row: sequence int8
with
revoked as (
    update api_key
    set revoked_at = :now
    where project_id = :project and id = :id and revoked_at is null
    returning id
),
-- include: audit(from = revoked),
-- include: change_insert as change(kind = 'session', id = id, from = revoked)
select sequence from change_inserted
