-- Counts a wrong code for an account's second factor.
-- class: tx
-- in: account uuid, now int8, window int8, most int8
-- rows: none
with
-- include: audit(from = (select) one)
update mfa_factor
set failures =
    -- include: hits_add(hits = failures, now = :now, window = :window, limit = :most)
where account_id = :account
