-- Marks a message as failed and erases its content. No row: another process has claimed it.
-- class: write
-- in: id uuid, lease uuid, last_error text
-- rows: one
with
dead as (
    update message
    set state = 'dead', sealed = null, lease = null, last_error = :last_error
    where id = :id and lease = :lease
    returning id
),
-- include: audit(from = dead)
select from dead
