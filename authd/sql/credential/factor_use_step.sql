-- Each code works once, because the step only grows. No row: used.
-- class: tx
-- in: account uuid, step int8
-- rows: none
update mfa_factor set last_step = :step where account_id = :account and last_step < :step
