-- Ends an attempt; the message is due again later. `answered` is 1 when the mail server refused it
-- for now, `known` is 1 when the hand-over that was counted had a known outcome, `server_wait` says
-- that it waits for the mail server. 0 rows: another process has claimed the message.
-- class: write
-- in: id uuid, lease uuid, due_at int8, last_error text, answered int8, known int8, server_wait bool
-- rows: none
update message
set due_at = :due_at, lease = null, last_error = :last_error, answers = answers + :answered,
    unknowns = unknowns - :known, server_wait = :server_wait
where id = :id and lease = :lease
