-- Returns whether an erased account's bytes still wait for the sweep.
-- class: read
-- in: account uuid
-- rows: one
-- row: waits bool
select exists (select from object where erased_for = :account) as waits
