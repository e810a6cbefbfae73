-- Makes an object the file of this attempt's export. No row: another attempt has it, or the account
-- was deleted; the object is swept.
-- class: write
-- in: project uuid, id uuid, lease uuid, object uuid, key_sealed bytea, size int8, now int8
-- in: expires_at int8
-- rows: one
-- row: id uuid
with
updated as (
    update export
    set state = 'ready', object_id = :object, key_sealed = :key_sealed, size = :size,
        expires_at = :expires_at, due_at = :now, lease = null
    where project_id = :project and id = :id and lease = :lease
    returning *
),
object_updated as (
    update object o
    set sweep_at = :expires_at
    from updated u
    where o.project_id = u.project_id and o.id = :object
),
-- include: audit(from = updated)
select id from updated
