-- Locks an account's second factor. limitAt: time of the failure that keeps it at its limit. No row
-- if there is none.
-- class: tx
-- in: account uuid, now int8, window int8, most int8
-- rows: one
-- row: struct factor_row
select
    secret_sealed as "secretSealed",
    enrolled_at is not null as enrolled,
    -- include: hits_limit(hits = failures, now = :now, window = :window, limit = :most)
    as "limitAt"
from mfa_factor
where account_id = :account
for update
