-- Records the time step of a right code. Does nothing if this or a later step is recorded, so that
-- each code works once.
-- class: tx
-- in: account uuid, step int8
-- rows: none
update mfa_factor set last_step = :step where account_id = :account and last_step < :step
