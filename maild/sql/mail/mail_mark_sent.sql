-- Marks a message as sent and erases its content. No row: another process has claimed it.
-- class: write
-- in: id uuid, lease uuid
-- rows: one
with
sent as (
    update message
    set state = 'sent', sealed = null, lease = null, last_error = null
    where id = :id and lease = :lease
    returning id
),
-- include: audit(from = sent)
select from sent
