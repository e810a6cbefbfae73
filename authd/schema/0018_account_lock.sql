-- Accounts that an operator has locked cannot sign in until they are unlocked.

alter table account add column locked_at bigint;    -- null: not locked
