-- Returns the progress of an account's erasure: completed requests, and the last one's time.
-- class: read
-- in: account uuid
-- rows: one
-- row: steps int8, done_at int8
select count(*) as steps, coalesce(max(done_at), 0) as done_at
from erasure_step
where account_id = :account
