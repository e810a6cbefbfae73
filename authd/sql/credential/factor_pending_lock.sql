-- Like factor_lock, for the secret that the session can enroll.
-- class: tx
-- in: session uuid, account uuid, now int8, window int8, most int8
-- rows: one
-- row: struct factor_row
select
    p.secret_sealed as "secretSealed",
    false as enrolled,
    -- include: hits_limit(hits = p.failures, now = :now, window = :window, limit = :most)
    as "limitAt"
from mfa_pending p
where p.session_id = :session and
    -- include: factor_pending_is_good(account = :account, now = :now)
for update of p
