-- Counts a wrong code for a secret that isn't enrolled.
-- class: tx
-- in: session uuid, now int8, window int8, most int8
-- rows: none
with
-- include: audit(from = (select) one)
update mfa_pending
set failures =
    -- include: hits_add(hits = failures, now = :now, window = :window, limit = :most)
where session_id = :session
