-- Makes messages that wait for the mail server due now, up to `most`.
-- class: write
-- in: now int8, most int8
-- rows: none
update message
set due_at = :now, server_wait = false
where id = any (array(
    select id
    from message
    where state = 'queued' and due_at > :now and server_wait and lease is null
    limit :most
    for update skip locked
))
