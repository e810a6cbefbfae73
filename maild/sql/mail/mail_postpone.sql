-- Ends an attempt; the message is due again later. `answered` is 1 after a temporary refusal,
-- `known` is 1 if the counted hand-over had a known outcome, `server_wait` is true if the message
-- waits for the mail server. 0 rows: another process has claimed it.
-- class: write
-- in: id uuid, lease uuid, due_at int8, last_error text, answered int8, known int8, server_wait bool
-- rows: none
update message
set due_at = :due_at, lease = null, last_error = :last_error, answers = answers + :answered,
    unknowns = unknowns - :known, server_wait = :server_wait
where id = :id and lease = :lease
