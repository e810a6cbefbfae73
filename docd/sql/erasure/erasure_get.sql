-- How far the erasure of an account is: requests carried out, the time of the last one, and whether
-- bytes still wait for the sweep.
-- class: read
-- in: account uuid
-- rows: one
-- row: steps int8, done_at int8, waiting bool
select count(*) as steps,
    coalesce(max(done_at), 0) as done_at,
    exists (select from object where erased_for = :account) as waiting
from erasure_step
where account_id = :account
