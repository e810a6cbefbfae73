-- Accounts that an operator has locked: they cannot sign in, until they are unlocked.

alter table account add column locked_at bigint;    -- null: it is not
